import { schedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import { moveOf } from "../engine/Machine.ts"
import { putRecord, readGroup, readRecord, type RecordRead } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import type { OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import { Sweep } from "./Sweep.ts"
import { SweepAccount, sweepAccountKey } from "./SweepAccount.ts"
import { isSweepOver, sweepMachine, type SweepTrigger } from "./SweepMachine.ts"
import { openSweepQueue } from "./sweepQueues.ts"

const isOfSweeps = ({ purpose }: Pick<OutboundTransaction, "purpose">): boolean =>
  purpose === "SWEEP" || purpose === "TOP_UP"

/** What moving an outbound transaction reads for the sweeps that it is of. */
export const sweepReads = (transaction: OutboundTransaction): ReadonlyArray<RecordRead> =>
  isOfSweeps(transaction)
    ? [
        readGroup(Sweep, transaction.id),
        ...(transaction.purpose === "SWEEP"
          ? [readRecord(SweepAccount, sweepAccountKey(transaction.network, transaction.from))]
          : [])
      ]
    : []

/** A sweep after a trigger; unchanged where the table has no such move from where it stands. */
export const movedSweep = (sweep: Sweep, trigger: SweepTrigger, patch: Partial<Sweep> = {}): Sweep => {
  const move = moveOf(sweepMachine, sweep.state, trigger)
  return move === undefined ? sweep : { ...sweep, ...patch, state: move.to }
}

/** What a change of its outbound transaction does to a sweep. */
const triggerOf = (purpose: OutboundTransaction["purpose"], after: OutboundTransaction): SweepTrigger | undefined => {
  const over = after.phase === "FINAL" || after.purpose !== purpose
  const done = over && after.outcome === "done" && after.purpose === purpose
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

/**
 * Brings the sweeps of an outbound transaction to where the outbound transaction is, in the same commit. Nothing but an outbound transaction's own end ends a sweep that was
 * signed. `before` is null for an outbound transaction that is only reserved, whose sweeps are put by the command that does so.
 */
export const syncSweeps = (
  view: View,
  before: OutboundTransaction | null,
  after: OutboundTransaction
): ReadonlyArray<Change> => {
  // what takes over the number of an outbound transaction is another
  if (before === null || before.id !== after.id || !isOfSweeps(before)) return []
  const { id, network, outcome, phase } = after
  const trigger = triggerOf(before.purpose, after)
  const over = phase === "FINAL" || after.purpose !== before.purpose
  const changes = view.group(Sweep, id).flatMap((sweep): ReadonlyArray<Change> => {
    if (isSweepOver(sweep.state)) return []
    const ends = trigger === "swept" || trigger === "abandoned"
    const next =
      trigger === undefined
        ? sweep
        : movedSweep(sweep, trigger, {
            ...(ends ? { endedAt: view.now } : {}),
            ...(trigger === "abandoned" ? { problem: `Its transaction was ${outcome ?? "not signed"}.` } : {})
          })
    return [
      ...(next === sweep ? [] : [putRecord(Sweep, next)]),
      ...(over ? [schedule(openSweepQueue(network), sweep.id, view.now)] : [])
    ]
  })
  if (before.purpose !== "SWEEP" || !over) return changes
  const account = view.get(SweepAccount, sweepAccountKey(network, after.from))
  return account?.transactionId === id ? [...changes, putRecord(SweepAccount, accountAfter(account, after))] : changes
}
