import { Result } from "effect"
import { schedule } from "../engine/Agenda.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { Timestamp } from "../engine/Timestamp.ts"
import type { View } from "../engine/View.ts"
import { countUsage } from "../limit/limitedUsage.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { waiting } from "../operation/waits.ts"
import { failPayoutOf, requeuePayout } from "../payout/endPayout.ts"
import type { PayoutFailure } from "../payout/payoutDetails.ts"
import { needsSetup, setupKey } from "./AccountSetup.ts"
import { endSpendReads, unusedSpend } from "./endSpend.ts"
import { putSpend, spendReads } from "./moveSpend.ts"
import { flagOpen, openPayouts } from "./openPayouts.ts"
import { setupItem, setupTopic, spendTopic } from "./sendTopic.ts"
import type { Spend } from "./Spend.ts"

/** A spend that cannot be built as it is. */
export interface ReleaseSpend {
  /** As it was read. */
  readonly spend: Spend
  /** Why, and what becomes of its payouts: they are tried again later, each by itself where `alone` says so, or they fail. */
  readonly outcome:
    | {
        readonly _tag: "Requeue"
        readonly reason: string
        readonly detail: string
        readonly at: Timestamp
        readonly alone: boolean
      }
    | { readonly _tag: "Fail"; readonly reason: PayoutFailure }
  readonly currencies: CurrencyTable
}

/** The setup of the account that lent its number, where it did and may have run out of coin for fees. */
const lenderSetup = ({ counterId, network, token, walletId }: Spend): string | null =>
  needsSetup(network) && token._tag === "Sequence" && counterId !== walletId
    ? setupKey({ network, address: token.account })
    : null

/** Doubts that an account which lent its number is all that it has to be, so that it is looked at. */
const doubtLender = (view: View, spend: Spend): ReadonlyArray<Change> => {
  const key = lenderSetup(spend)
  const setup = key === null ? undefined : view.record("AccountSetup", key)
  if (setup?.ready !== true) return []
  return [
    putRecord("AccountSetup", { ...setup, ready: false, since: view.now }),
    schedule(setupTopic(spend.network), setupItem, view.now)
  ]
}

/**
 * Gives up a spend that was never signed, and what it had reserved. A number of an account that others came after is used up by a
 * transaction that does nothing else. Where coin was missing, an account that lent the number is looked at again. One that was signed in the meantime is left alone.
 */
export const releaseSpend = ({ currencies, outcome, spend: read }: ReleaseSpend): Command<Spend | null> => ({
  name: "ReleaseSpend",
  reads: [
    ...spendReads(read),
    ...endSpendReads(read, currencies),
    ...[lenderSetup(read)].flatMap((key) => (key === null ? [] : [readRecord("AccountSetup", key)]))
  ],
  decide: (view) => {
    const spend = view.record("Spend", read.id)
    if (spend?.phase !== "RESERVED") return Result.succeed({ changes: [], reply: null })
    const pairs = openPayouts(view, spend)
    const ended = pairs.flatMap(({ operation, payout }): ReadonlyArray<Change> => {
      if (outcome._tag === "Fail")
        return failPayoutOf(view, currencies, { operation, payout: { ...payout, spendId: null } }, outcome.reason)
      const { alone, at, detail, reason } = outcome
      const waits = { reason, detail, since: payout.waits?.since ?? view.now, tries: (payout.waits?.tries ?? 0) + 1 }
      // nothing was signed, so it was no attempt
      const told = waiting(operation, waits, waits.since)
      return [
        ...(told === operation ? [] : [{ _tag: "OperationPut", operation: told } as const]),
        ...requeuePayout(payout, at, { waits, alone: payout.alone || alone, attempts: payout.attempts - 1 })
      ]
    })
    const given = outcome._tag === "Fail" ? pairs.map(({ operation }) => operation) : []
    return Result.succeed({
      changes: [
        ...unusedSpend(view, spend, "released"),
        ...ended,
        ...countUsage(view, given, -1n),
        ...(outcome.reason === "insufficient_wallet" ? doubtLender(view, spend) : [])
      ],
      reply: spend
    })
  }
})

/** Notes why a spend does not come further, and when to look again; one that is not signed for too long is flagged unresolved. */
export const delaySpend = ({
  currencies,
  nextAt,
  problem,
  spend: read,
  unresolvedAfterMs
}: {
  readonly spend: Spend
  readonly problem: string
  readonly nextAt: Timestamp
  readonly unresolvedAfterMs: number
  readonly currencies: CurrencyTable
}): Command<Spend | null> => ({
  name: "DelaySpend",
  reads: spendReads(read),
  decide: (view) => {
    const spend = view.record("Spend", read.id)
    if (spend === undefined || spend.phase === "FINAL") return Result.succeed({ changes: [], reply: null })
    const stuck = view.now - (spend.sentAt ?? spend.signedAt ?? spend.reservedAt) >= unresolvedAfterMs
    const flagged = stuck ? flagOpen(view, spend, currencies) : []
    return Result.succeed({
      changes: [
        ...putSpend(view, spend, { ...spend, problem }),
        ...flagged,
        schedule(spendTopic(spend.network), spend.id, nextAt)
      ],
      reply: spend
    })
  }
})
