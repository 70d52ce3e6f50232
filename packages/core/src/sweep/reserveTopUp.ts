import { Result } from "effect"
import { schedule, unschedule } from "../engine/Agenda.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { Timestamp } from "../engine/Timestamp.ts"
import { putSpend, staleSpend } from "../outbound/moveSpend.ts"
import type { PayoutWallet } from "../outbound/PayoutWallet.ts"
import { nextNumber } from "../outbound/reserveSpend.ts"
import { spendTopic } from "../outbound/sendTopic.ts"
import { tokenKind } from "../outbound/tokenKind.ts"
import { examine, openChanges, openedSweep, type ReservedSweep, type SweepWish, wishReads } from "./reserveSweep.ts"
import { newSweepAccount, sweepAccountKey } from "./SweepAccount.ts"
import { sweepTopic } from "./sweepTopics.ts"
import { newSpend } from "../outbound/newSpend.ts"

/** An address that is to be given coin, so that it can pay for moving what arrived there. */
export interface ReserveTopUp {
  /** The tenant's payout wallet, which pays. */
  readonly wallet: PayoutWallet
  /** Whose number is used up: the wallet, or an account that lends its numbers. */
  readonly lender: PayoutWallet
  /** What the chain says that the lender's numbers go on with; null where the network has none. */
  readonly first: bigint | null
  readonly wish: SweepWish
  /** So much of the network's own coin. */
  readonly units: bigint
  /** When to look at it again, whatever comes of its spend. */
  readonly lookAt: Timestamp
}

/**
 * Opens a sweep by the spend that gives its address coin for the network fee. Refused and answered as `reserveSweep`.
 */
export const reserveTopUp = (command: ReserveTopUp): Command<ReservedSweep> => {
  const { first, lender: lending, lookAt, units, wallet: paying, wish } = command
  const { network } = paying
  const key = sweepAccountKey(network, wish.account)
  return {
    name: "ReserveTopUp",
    reads: [...wishReads(paying, [wish]), readRecord("PayoutWallet", lending.id)],
    decide: (view) => {
      const found = examine(view, network, [wish], null)
      if (Result.isFailure(found)) return Result.fail(found.failure)
      const { held } = found.success
      if (held.length > 0) {
        const changes = held.map((id) => unschedule(sweepTopic(network), id))
        return Result.succeed({ changes, reply: { _tag: "Held", addressIds: held } as const })
      }
      const [wallet, lender] = [view.record("PayoutWallet", paying.id), view.record("PayoutWallet", lending.id)]
      if (wallet === undefined || lender === undefined) return Result.fail(staleSpend("A wallet is not there."))
      const counted = tokenKind(network) === "Sequence"
      const number = counted ? nextNumber(lender, first) : null
      if (counted && number === null) return Result.fail(staleSpend("The account's next number is not known."))
      const spend = newSpend(view, {
        id: view.newId(),
        network,
        purpose: "TOP_UP",
        walletId: wallet.id,
        from: wallet.address,
        token: number === null ? { _tag: "Expiry" } : { _tag: "Sequence", account: lender.address, number },
        counterId: number === null ? null : lender.id,
        payments: [{ operationId: null, to: wish.account, contract: null, units, memo: null }],
        agreesTo: [],
        drain: false,
        salt: wallet.nextSalt
      })
      const put = putSpend(view, null, spend, number === null ? {} : { nextSequence: number + 1n }).map(
        (change): Change =>
          change._tag === "RecordPut" && change.kind === "PayoutWallet" && change.record.id === wallet.id
            ? putRecord("PayoutWallet", { ...change.record, nextSalt: wallet.nextSalt + 1 })
            : change
      )
      const sweep = openedSweep(view, network, wish, { topUpSpendId: spend.id, sweepSpendId: null })
      const account = view.record("SweepAccount", key) ?? newSweepAccount(network, wish.account)
      return Result.succeed({
        changes: [
          ...put,
          schedule(spendTopic(network), spend.id, view.now),
          ...openChanges(view, sweep, wish, lookAt),
          putRecord("SweepAccount", { ...account, sweepIds: [...account.sweepIds, sweep.id] })
        ],
        reply: { _tag: "Reserved", spend, sweeps: [sweep] } as const
      })
    }
  }
}
