import { Result } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readGroup } from "../engine/Records.ts"
import { type Comparison, judgeBeside, type Verdict } from "./judgeDifference.ts"
import { type Place, positionKey } from "./Place.ts"
import { type Alarmed, type AlarmRule, judgeAlarms, stopping, stopReads } from "./raiseAlarms.ts"
import { PastObservation, PlaceObservation } from "./PlaceObservation.ts"
import { type Candidate, ReconciliationBreak } from "./ReconciliationBreak.ts"

/** What was found of a currency at a place. */
export interface Observed {
  readonly place: Place
  readonly currency: string
  readonly at: Timestamp
  readonly block: PlaceObservation["block"]
  /** Null where whoever keeps the place tells no balance; then `ledger` is what the books say. */
  readonly found: Comparison | null
  readonly ledger: bigint
  /**
   * `steady`: a second look has found it too, so breaks are opened and closed by it. `moving`: the two contradict each other, and it is only noted.
   */
  readonly look: "steady" | "moving"
  /** What could explain what comes on top of the breaks that are known. */
  readonly candidates: ReadonlyArray<Candidate>
  /** What could explain breaks that are open already, by their ids: something may have been booked since. Others keep what they name. */
  readonly explaining: ReadonlyMap<string, ReadonlyArray<Candidate>>
  readonly rule: AlarmRule
}

/** What an observation has changed. */
export interface ObservationRecorded extends Alarmed {
  readonly observation: PlaceObservation
  readonly opened: ReconciliationBreak | null
  readonly closed: ReadonlyArray<ReconciliationBreak>
}

/** The same break, with those named that could explain it by now. */
const explainedBy = (
  one: ReconciliationBreak,
  candidates: ReadonlyArray<Candidate> | undefined
): ReconciliationBreak => {
  const ids = (some: ReadonlyArray<Candidate>) => some.map(({ id }) => id).join()
  return candidates === undefined || ids(candidates) === ids(one.candidates) ? one : { ...one, candidates }
}

/** What a comparison means for the breaks that are open: those of a statement are closed by the statement alone. */
export const judgeOpen = (found: Comparison, open: ReadonlyArray<ReconciliationBreak>): Verdict => {
  const inOrder = open.toSorted((one, other) => one.since - other.since)
  return judgeBeside(
    found,
    inOrder.filter(({ about }) => about === null),
    inOrder.filter(({ about }) => about !== null)
  )
}

/**
 * As much as the open breaks can make up of what is missing. A statement and a balance are of different moments: what a statement shows as missing may
 * be missing there, unless a person has explained it, and what it shows as too much need not be there.
 */
export const knownMissing = (open: ReadonlyArray<ReconciliationBreak>): bigint =>
  open.reduce(
    (sum, { about, explanation, units }) =>
      about === null || (units > 0n && explanation === null) ? sum + units : sum,
    0n
  )

const observationOf = (
  { at, block, currency, found, ledger, place }: Observed,
  verdict: {
    readonly difference: bigint
    readonly inFlight: bigint
  }
): PlaceObservation => ({
  place: place.name,
  kind: place.kind,
  currency,
  observation: found === null ? "unsupported" : "observed",
  ledger,
  observed: found === null ? null : found.observed,
  inFlight: found === null ? 0n : verdict.inFlight,
  inFlightLeast: found === null ? 0n : found.inFlight.least,
  inFlightMost: found === null ? 0n : found.inFlight.most,
  difference: found === null ? null : verdict.difference,
  block,
  at
})

/**
 * Records what was found of a currency at a place, for the fleet: opens a break for what nothing explains, closes those whose difference
 * has gone, puts what is left of too much in the place of its break, and marks those that are an alarm by now.
 */
export const recordObservation = (observed: Observed): Command<ObservationRecorded> => {
  const { at, block, candidates, currency, explaining, found, look, place, rule } = observed
  const group = positionKey(place.name, currency)
  return {
    name: "RecordObservation",
    reads: [readGroup(ReconciliationBreak, group), ...stopReads(place.name)],
    decide: (view) => {
      const before = view.group(ReconciliationBreak, group)
      const verdict =
        found === null ? { difference: 0n, inFlight: 0n, closed: [], opened: 0n } : judgeOpen(found, before)
      const observation = observationOf(observed, verdict)
      const steady = look === "steady"
      const closed = before
        .filter(({ id }) => steady && verdict.closed.includes(id))
        .map((one): ReconciliationBreak => ({ ...one, closedAt: at }))
      // what is left of too much is as old as that, but news to whoever was told of it, or has explained it
      const [whole] = verdict.opened < 0n ? closed.toSorted((one, other) => one.since - other.since) : []
      const opened: ReconciliationBreak | null =
        !steady || verdict.opened === 0n
          ? null
          : {
              id: view.newId(),
              place: place.name,
              currency,
              units: verdict.opened,
              since: whole?.since ?? at,
              sinceBlock: whole === undefined ? (block?.number ?? null) : whole.sinceBlock,
              candidates,
              about: null,
              explanation: null,
              alarmedAt: null,
              toldAt: null,
              closedAt: null
            }
      const stay = [
        ...before
          .filter(({ id }) => !closed.some((one) => one.id === id))
          .map((one) => explainedBy(one, explaining.get(one.id))),
        ...(opened === null ? [] : [opened])
      ]
      const alarms = judgeAlarms(view, place.name, stay, rule, at, closed)
      const changed = [...closed, ...alarms.open.filter((one) => !before.includes(one))]
      const changes: ReadonlyArray<Change> = [
        putRecord(PlaceObservation, observation),
        putRecord(PastObservation, { ...observation, id: view.newId() }),
        ...changed.map((one) => putRecord(ReconciliationBreak, one)),
        ...stopping(alarms)
      ]
      return Result.succeed({ changes, reply: { ...alarms, observation, opened, closed } })
    }
  }
}
