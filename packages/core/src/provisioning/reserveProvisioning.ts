import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { NetworkTable } from "../money/Network.ts"
import type { ProvisioningStep } from "../port/TransactionPlanner.ts"
import { staleTransaction } from "../transaction/moveTransaction.ts"
import { OutboundTransaction, type TransactionPurpose } from "../transaction/OutboundTransaction.ts"
import { PayoutWallet } from "../transaction/PayoutWallet.ts"
import { nothingFollows } from "../transaction/PurposeRule.ts"
import type { GuardRequest } from "../transaction/reserveGuard.ts"
import { reserveReads, reserveTransaction } from "../transaction/reserveTransaction.ts"
import { AccountProvisioning, provisioningKey, type ProvisioningRole } from "./AccountProvisioning.ts"

/** A step to be made for an account. */
export interface ReserveProvisioning {
  readonly address: string
  readonly role: ProvisioningRole
  readonly step: ProvisioningStep
  /** The newest outbound transaction of the account, as it was read: null where there is none. */
  readonly after: string | null
  /** Whether that one did what it was for; true where there is none. */
  readonly succeeded: boolean
  /** The tenant's payout wallet. */
  readonly wallet: PayoutWallet
  /** What the network's adapter has planned that it uses up: whose sequence that is pays the network fee. */
  readonly guard: GuardRequest
}

const purposeOf = (role: ProvisioningRole, { _tag }: ProvisioningStep): TransactionPurpose => {
  if (_tag === "Trust") return "PROVISIONING"
  return role === "ISSUING" ? "TOP_UP" : "CHANNEL"
}

/**
 * Reserves a step that brings an account of the service further, in one commit with what says so: one that is under way keeps
 * another from beginning, whatever dies in between. `stale` where one is: look again. Its plan is refused as by `reserveGuard`.
 */
export const reserveProvisioning = (
  command: ReserveProvisioning,
  networks: NetworkTable
): Command<OutboundTransaction> => {
  const { address, after, guard: planned, role, step, wallet: paying } = command
  const { network } = paying
  const key = provisioningKey({ network, address })
  return {
    name: "ReserveProvisioning",
    reads: [
      readRecord(AccountProvisioning, key),
      ...reserveReads(paying, planned),
      ...(after === null ? [] : [readRecord(OutboundTransaction, after)])
    ],
    decide: (view) => {
      const before = view.get(AccountProvisioning, key)
      const wallet = view.get(PayoutWallet, paying.id)
      if (wallet === undefined) return Result.fail(staleTransaction("The wallet is not there."))
      if ((before?.transactionId ?? null) !== after)
        return Result.fail(staleTransaction("Another step was made for the account."))
      if (after !== null && view.get(OutboundTransaction, after)?.phase !== "FINAL") {
        return Result.fail(staleTransaction("The step before this one is not over."))
      }
      const gives = step._tag === "Fund"
      const payments = gives ? [{ operationId: null, to: address, contract: null, units: step.units, memo: null }] : []
      const reserved = reserveTransaction(view, nothingFollows, {
        wallet,
        purpose: purposeOf(role, step),
        // the wallet bears what it costs, whoever adds trustlines and whoever lends the number
        from: gives ? wallet.address : address,
        guard: planned,
        traits: networks.of(network),
        payments,
        trustlines: gives ? [] : step.contracts
      })
      if (Result.isFailure(reserved)) return Result.fail(reserved.failure)
      const { changes, transaction } = reserved.success
      const provisioning: AccountProvisioning = {
        network,
        address,
        role,
        ready: false,
        transactionId: transaction.id,
        failures: command.succeeded ? 0 : (before?.failures ?? 0) + 1,
        problem: null,
        since: before?.ready === false ? before.since : view.now,
        checkedAt: view.now
      }
      return Result.succeed({
        changes: [...changes, putRecord(AccountProvisioning, provisioning)],
        reply: transaction
      })
    }
  }
}
