import { BigInt as Big, Result } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import type { Read } from "../engine/Read.ts"
import { putRecord, readGroup, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { switched } from "../payout/switchNetwork.ts"
import { stopNameOf } from "../operation/placeStops.ts"
import { NetworkSwitch } from "../port/NetworkSwitches.ts"
import { positionKey } from "./Place.ts"
import { ReconciliationBreak } from "./ReconciliationBreak.ts"

/** When breaks at a place are an alarm: above an amount, for longer than an age. */
export interface AlarmRule {
  /** In base units: breaks that come to no more than that alarm nobody. */
  readonly tolerance: bigint
  readonly afterMs: number
  /**
   * Whether an alarm over what is missing stops what leaves from its place, of all tenants, until somebody resumes it. What is too much stops
   * nothing: anybody can send something.
   */
  readonly stops: boolean
  /**
   * So much more than is too much there may be missing without a stop, in base units: tenants that have handed over keys may have moved it with copies
   * of them, and no tenant is to stop the others. Where it is nothing, all that is missing stops.
   */
  readonly movable: bigint
}

/** What is missing by the breaks that nobody has explained. */
export const missingBy = (open: ReadonlyArray<ReconciliationBreak>): ReadonlyArray<ReconciliationBreak> =>
  open.filter(({ explanation, units }) => explanation === null && units > 0n)

const sumOf = (some: ReadonlyArray<ReconciliationBreak>): bigint => some.reduce((sum, { units }) => sum + units, 0n)

/** The breaks that alarm: those without an explanation, where they come to more than the tolerance and are old enough. */
export const alarming = (
  open: ReadonlyArray<ReconciliationBreak>,
  { afterMs, tolerance }: Pick<AlarmRule, "afterMs" | "tolerance">,
  now: Timestamp
): ReadonlyArray<ReconciliationBreak> => {
  // what is missing is not made up for by what is too much: each is looked at by itself
  const tooMuch = open.filter(({ explanation, units }) => explanation === null && units < 0n)
  return [missingBy(open), tooMuch].flatMap((side) =>
    Big.abs(sumOf(side)) > tolerance ? side.filter(({ since }) => now - since >= afterMs) : []
  )
}

/** What alarms at a place change. */
export interface Alarmed {
  /** Those over which an alarm is raised now. */
  readonly alarmed: ReadonlyArray<ReconciliationBreak>
  /** All that are open, those among them. */
  readonly open: ReadonlyArray<ReconciliationBreak>
  /** What is stopped because of them; null where nothing is stopped anew. */
  readonly stopped: NetworkSwitch | null
}

const reasonOf = ({ currency, id, place, units }: ReconciliationBreak): string =>
  `The books and ${place} differ by ${units} units of ${currency} (break ${id}).`

/** What judging the alarms of a place reads beside its breaks. */
export const stopReads = (place: string): ReadonlyArray<Read> => [readRecord(NetworkSwitch, stopNameOf(place))]

/**
 * Whether tenants may have moved all that is missing. What is too much beside it is made up for: they may have brought it back. What a statement shows
 * as too much need not be there.
 */
const isMovable = (open: ReadonlyArray<ReconciliationBreak>, movable: bigint): boolean =>
  movable > 0n &&
  sumOf(missingBy(open)) + sumOf(open.filter(({ about, units }) => about === null && units < 0n)) <= movable

/**
 * Marks the open breaks that are an alarm by now. The place is stopped in the same commit, so that no alarm stands without its stop; one that stood
 * before stops nothing again, as somebody may have resumed the place since. But where there is less of too much, by the breaks that are `closed` now,
 * one may have stopped nothing because of that: it stops now, unless the place was stopped or resumed since. Either also stops what is stopped
 * already: who has approved to resume it did not know of it. The command reads `stopReads`.
 */
export const judgeAlarms = (
  view: View,
  place: string,
  open: ReadonlyArray<ReconciliationBreak>,
  rule: AlarmRule,
  at: Timestamp,
  closed: ReadonlyArray<ReconciliationBreak> = []
): Alarmed => {
  // dated by this commit, not by the look: who resumed the place, or proposed to, before it had not seen it
  const now = Math.max(at, view.now)
  const alarmed = alarming(open, rule, at)
    .filter((one) => one.alarmedAt === null)
    .map((one): ReconciliationBreak => ({ ...one, alarmedAt: now }))
  const marked = open.map((one) => alarmed.find(({ id }) => id === one.id) ?? one)
  const network = stopNameOf(place)
  const before = view.get(NetworkSwitch, network)
  const isLess = closed.some(({ units }) => units < 0n)
  const first = missingBy(marked).find(
    (one) =>
      alarmed.includes(one) ||
      (isLess && one.alarmedAt !== null && (before === undefined || before.changedAt < one.alarmedAt))
  )
  const stops = first !== undefined && rule.stops && !isMovable(open, rule.movable)
  return {
    alarmed,
    open: marked,
    stopped: stops ? switched(network, reasonOf(first), "reconciliation", now) : null
  }
}

/** The change that stops what an alarm stops. */
export const stopping = ({ stopped }: Pick<Alarmed, "stopped">): ReadonlyArray<Change> =>
  stopped === null ? [] : [putRecord(NetworkSwitch, stopped)]

/** Raises the alarms that are due over a currency at a place, for the fleet: breaks grow old also while nobody can look at it. */
export const raiseAlarms = (place: string, currency: string, rule: AlarmRule): Command<Alarmed> => {
  const group = positionKey(place, currency)
  return {
    name: "RaiseAlarms",
    reads: [readGroup(ReconciliationBreak, group), ...stopReads(place)],
    decide: (view) => {
      const found = judgeAlarms(view, place, view.group(ReconciliationBreak, group), rule, view.now)
      const marked = found.alarmed.map((one) => putRecord(ReconciliationBreak, one))
      return Result.succeed({ changes: [...marked, ...stopping(found)], reply: found })
    }
  }
}
