import type { Command } from "../engine/Command.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { Operation } from "../operation/Operation.ts"
import { done } from "../port/ProviderResult.ts"
import { recordSwap } from "../swap/recordSwap.ts"
import { recordTransfer } from "../transfer/recordTransfer.ts"
import type { PartOf } from "../withdrawal/paymentOf.ts"
import { recordWithdrawal } from "../withdrawal/recordWithdrawal.ts"
import { isResolvable, type Statement } from "./Resolution.ts"

/** The provider's id of the order, or the transaction that made it; null where neither is known. */
export const orderOf = ({ providerReference }: Operation, stated: Statement): string | null =>
  stated.providerReference ?? providerReference ?? stated.txHash

/** What a statement is read by. */
export interface StatementFacts {
  readonly currencies: CurrencyTable
  /** How parts of an account are addressed on the operation's network; absent where no account has any. */
  readonly partOf?: PartOf
}

/**
 * What an operation would be recorded by, had its provider itself answered what is stated: legs, fees, limits and events are decided
 * where they always are. Undefined for what no provider carries out.
 */
export const statedAnswer = (
  operation: Operation,
  stated: Statement,
  { currencies, partOf }: StatementFacts
): Command<Operation | undefined> | undefined => {
  const { kind } = operation
  if (!isResolvable(kind)) return undefined
  const { networkFee, outcome, received, text: reason, txHash } = stated
  // a transaction may carry out the orders of several tenants, and so names none
  const known = orderOf(operation, { ...stated, txHash: null })
  // an outcome has to name the order; where nothing is known of it, our own reference does, which `applyStatement` takes back
  const providerReference = known ?? operation.id
  // what came to nothing names an order only where operators do: what is stored may be the order of another, of a time when two could claim it
  const settled = outcome === "SETTLED"
  switch (kind) {
    case "WITHDRAWAL":
      return recordWithdrawal({
        operation,
        currencies,
        partOf,
        stated: true,
        networkFeeBorneBy: networkFee?.borneBy ?? "RECEIVER",
        answer: done(
          settled
            ? { _tag: "Settled", providerReference, txHash, networkFee: networkFee?.amount ?? null }
            : { _tag: "Failed", providerReference: stated.providerReference, reason }
        )
      })
    case "SWAP":
      return recordSwap({
        operation,
        currencies,
        stated: true,
        answer: done(
          settled && received !== null
            ? { _tag: "Settled", providerReference, received }
            : { _tag: "Failed", providerReference: stated.providerReference, reason }
        )
      })
    case "ON_RAMP":
    case "OFF_RAMP":
    case "BANK_TRANSFER":
    case "REFUND":
      return recordTransfer({
        operation,
        currencies,
        stated: true,
        answer: done({
          providerReference: settled ? providerReference : (stated.providerReference ?? operation.id),
          status: outcome,
          received: settled ? received : null,
          returned: outcome === "RETURNED" ? received : null,
          sender: null,
          reason: settled ? null : reason
        })
      })
  }
}
