import { schedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import { putRecord, readGroup, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import type { OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import { nothingFollows, type PurposeRule } from "../transaction/PurposeRule.ts"
import { movedSweep } from "./movedSweep.ts"
import { Sweep } from "./Sweep.ts"
import { SweepAccount, sweepAccountKey } from "./SweepAccount.ts"
import { isSweepOver, type SweepTrigger } from "./SweepMachine.ts"
import { openSweepQueue } from "./sweepQueues.ts"

/** What a change of its outbound transaction does to a sweep. */
const triggerOf = (purpose: OutboundTransaction["purpose"], after: OutboundTransaction): SweepTrigger | undefined => {
  const over = after.phase === "FINAL" || after.purpose !== purpose
  const done = over && after.outcome === "done" && after.purpose === purpose && after.payments.length > 0
  if (purpose === "TOP_UP") {
    // what arrived of it is read at the address
    if (done) return undefined
    return over ? "abandoned" : after.hashes.length > 0 ? "topup_signed" : undefined
  }
  if (done) return "swept"
  return over ? "abandoned" : after.hashes.length > 0 ? "sweep_signed" : undefined
}

/** A number that was used up is not used again; one that was not is the next. */
const accountAfter = (account: SweepAccount, { outcome, guard }: OutboundTransaction): SweepAccount => ({
  ...account,
  transactionId: null,
  nextSequence:
    guard._tag === "Sequence"
      ? outcome === "released" || outcome === "expired"
        ? guard.sequence
        : guard.sequence + 1n
      : account.nextSequence
})

/** A transaction that was for something before may only use its number up now: for its purpose it is over. */
const isOver = (before: OutboundTransaction, after: OutboundTransaction): boolean =>
  after.phase === "FINAL" || after.purpose !== before.purpose

/**
 * Brings the sweeps of an outbound transaction to where it is, in the same commit. A sweep that was given up for a lost deposit is opened
 * again where what was signed for it has moved its deposits all the same. `before` is null for an outbound transaction that is only reserved, whose sweeps are put by the command that
 * does so.
 */
const moveSweeps: PurposeRule["changed"] = (view, before, after) => {
  // what takes over the number of an outbound transaction is another
  if (before === null || before.id !== after.id) return []
  const { id, network, outcome } = after
  const trigger = triggerOf(before.purpose, after)
  return view.group(Sweep, id).flatMap((sweep): ReadonlyArray<Change> => {
    if (isSweepOver(sweep.state) && trigger !== "swept") return []
    const ends = trigger === "swept" || trigger === "abandoned"
    const next =
      trigger === undefined
        ? sweep
        : movedSweep(sweep, trigger, {
            ...(ends ? { endedAt: view.now } : {}),
            ...(trigger === "swept" ? { problem: null, closedAt: null } : {}),
            ...(trigger === "abandoned" ? { problem: `Its transaction was ${outcome ?? "not signed"}.` } : {})
          })
    return [
      ...(next === sweep ? [] : [putRecord(Sweep, next)]),
      ...(isOver(before, after) ? [schedule(openSweepQueue(network), sweep.id, view.now)] : [])
    ]
  })
}

/** Sweeps that were closed, and have moved their deposits after all: until they are closed again, no other may take those. */
const openedAgain = (view: View, after: OutboundTransaction): ReadonlyArray<string> =>
  triggerOf("SWEEP", after) === "swept"
    ? view
        .group(Sweep, after.id)
        .flatMap(({ account, closedAt, id }) => (closedAt !== null && account === after.from ? [id] : []))
    : []

/** The account that is swept is free for another transaction once this one is over. */
const freeAccount = (
  view: View,
  before: OutboundTransaction | null,
  after: OutboundTransaction
): ReadonlyArray<Change> => {
  if (before === null || before.id !== after.id || !isOver(before, after)) return []
  const account = view.get(SweepAccount, sweepAccountKey(after.network, after.from))
  if (account?.transactionId !== after.id) return []
  const sweepIds = [...new Set([...account.sweepIds, ...openedAgain(view, after)])]
  return [putRecord(SweepAccount, { ...accountAfter(account, after), sweepIds })]
}

/** What becomes of sweeps as the transactions that move them live and end. */
export const sweepRule: PurposeRule = {
  ...nothingFollows,
  reads: ({ from, id, network }) => [readGroup(Sweep, id), readRecord(SweepAccount, sweepAccountKey(network, from))],
  changed: (view, before, after) => [...moveSweeps(view, before, after), ...freeAccount(view, before, after)]
}

/** What becomes of sweeps as the transactions that give their addresses funds for the network fee live and end. */
export const topUpRule: PurposeRule = {
  ...nothingFollows,
  reads: ({ id }) => [readGroup(Sweep, id)],
  changed: moveSweeps
}
