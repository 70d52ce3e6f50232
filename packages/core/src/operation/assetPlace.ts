import type { AssetAccount } from "../ledger/Account.ts"
import type { Operation } from "./Operation.ts"
import { isOver } from "./OperationMachine.ts"

/** The account from which the value of an operation leaves in the end; undefined where nothing leaves. */
export const assetPlaceOf = ({ kind, network }: Pick<Operation, "kind" | "network">): AssetAccount | undefined => {
  switch (kind) {
    case "CHAIN_PAYOUT":
      return network === null ? undefined : `chain:${network}:payouts`
    case "WITHDRAWAL":
    case "SWAP":
      return "custodian"
    case "OFF_RAMP":
    case "BANK_TRANSFER":
    case "REFUND":
      return "bank"
    case "DEPOSIT":
    case "ON_RAMP":
    case "INTERNAL_TRANSFER":
    case "REVERSAL":
    case "ADJUSTMENT":
      return undefined
  }
}

/**
 * Whether an operation that a provider carries out was sent, or is about to be, and is not over: what it takes is reserved then. A
 * CHAIN_PAYOUT is reserved with its outbound transaction.
 */
export const isWithProvider = ({ details, kind, status }: Pick<Operation, "details" | "kind" | "status">): boolean =>
  kind !== "CHAIN_PAYOUT" && details.sent_at !== undefined && !isOver(status)
