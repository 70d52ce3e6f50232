import { Result } from "effect"
import { schedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { isPut, putRecord, readRecord } from "../engine/Records.ts"
import { AccountProvisioning, provisioningKey, type ProvisioningRole } from "../transaction/AccountProvisioning.ts"
import { putTransaction, staleTransaction } from "./moveTransaction.ts"
import { PayoutWallet } from "../transaction/PayoutWallet.ts"
import { nextSequenceOf } from "./reserveTransaction.ts"
import { transactionQueue } from "../transaction/queues.ts"
import { OutboundTransaction, type TransactionPurpose } from "../transaction/OutboundTransaction.ts"
import { newTransaction } from "../transaction/newTransaction.ts"

/** What brings an account of the service further: coin from the wallet, which makes it where there is none, or its agreement. */
export type ProvisioningStep =
  | { readonly _tag: "Fund"; readonly units: bigint }
  | { readonly _tag: "Trust"; readonly contracts: ReadonlyArray<string> }

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
  /** Whose number is used up, and who pays the network fee: the wallet, or a channel account. */
  readonly channel: PayoutWallet
  /** How many transactions of one account may be under way (`NetworkTraits.underWayMax`). */
  readonly underWayMax: number
  /** What the chain says that the lender's numbers go on with (`ChainSender.firstSequence`). */
  readonly first: bigint | null
}

const purposeOf = (role: ProvisioningRole, { _tag }: ProvisioningStep): TransactionPurpose => {
  if (_tag === "Trust") return "PROVISIONING"
  return role === "ISSUING" ? "TOP_UP" : "CHANNEL"
}

/**
 * Reserves a step that brings an account of the service further, in one commit with what says so: one that is under way keeps
 * another from beginning, whatever dies in between. `stale` where one is, or the lender's number is in use: look again.
 */
export const reserveProvisioning = (command: ReserveProvisioning): Command<OutboundTransaction> => {
  const { address, after, channel: lendingChannels, role, step, wallet: paying } = command
  const { network } = paying
  const key = provisioningKey({ network, address })
  return {
    name: "ReserveProvisioning",
    reads: [
      readRecord(AccountProvisioning, key),
      readRecord(PayoutWallet, paying.id),
      readRecord(PayoutWallet, lendingChannels.id),
      ...(after === null ? [] : [readRecord(OutboundTransaction, after)])
    ],
    decide: (view) => {
      const before = view.get(AccountProvisioning, key)
      const [wallet, channel] = [view.get(PayoutWallet, paying.id), view.get(PayoutWallet, lendingChannels.id)]
      if (wallet === undefined || channel === undefined) return Result.fail(staleTransaction("A wallet is not there."))
      if ((before?.transactionId ?? null) !== after)
        return Result.fail(staleTransaction("Another step was made for the account."))
      if (after !== null && view.get(OutboundTransaction, after)?.phase !== "FINAL") {
        return Result.fail(staleTransaction("The step before this one is not over."))
      }
      if (channel.openTransactions >= command.underWayMax)
        return Result.fail(staleTransaction("The account's number is in use."))
      const number = nextSequenceOf(channel, command.first)
      if (number === null) return Result.fail(staleTransaction("The account's next number is not known."))
      const gives = step._tag === "Fund"
      const transaction = newTransaction(view, {
        id: view.newId(),
        network,
        purpose: purposeOf(role, step),
        // the wallet bears what it costs, whoever agrees and whoever lends the number
        walletId: wallet.id,
        from: gives ? wallet.address : address,
        guard: { _tag: "Sequence", account: channel.address, sequence: number },
        counterId: channel.id,
        payments: gives ? [{ operationId: null, to: address, contract: null, units: step.units, memo: null }] : [],
        trustlines: gives ? [] : step.contracts,
        drain: false,
        salt: wallet.nextSalt
      })
      const put = putTransaction(view, null, transaction, { nextSequence: number + 1n }).map((change): Change =>
        isPut(PayoutWallet, change) && change.record.id === wallet.id
          ? putRecord(PayoutWallet, { ...change.record, nextSalt: wallet.nextSalt + 1 })
          : change
      )
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
        changes: [
          ...put,
          putRecord(AccountProvisioning, provisioning),
          schedule(transactionQueue(network), transaction.id, view.now)
        ],
        reply: transaction
      })
    }
  }
}
