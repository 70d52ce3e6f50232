import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { Writer } from "@bursar/core/engine/Writer"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import type { AssetAccount } from "@bursar/core/ledger/Account"
import { candidatesMax, candidatesOf } from "@bursar/core/reconciliation/candidates"
import { largest, type Verdict } from "@bursar/core/reconciliation/judgeDifference"
import type { Movement } from "@bursar/core/reconciliation/Movement"
import { Positions } from "@bursar/core/reconciliation/Positions"
import type { Alarmed } from "@bursar/core/reconciliation/raiseAlarms"
import { judgeOpen, type ObservationRecorded, recordObservation } from "@bursar/core/reconciliation/recordObservation"
import { type Candidate, ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import type { Statements } from "@bursar/core/reconciliation/statement/Statements"
import { showObservation } from "@bursar/core/reconciliation/showObservation"
import { Queries } from "@bursar/core/store/Queries"
import { Effect } from "effect"
import { submitFenced } from "../watch/submitFenced.ts"
import { alarmRule } from "./alarmRule.ts"
import { type Finding, keyOf } from "./Finding.ts"
import type { Recording } from "./Recording.ts"

/** The open breaks of what a finding is of. */
export const openBreaks = (finding: Finding) =>
  Effect.flatMap(Queries, ({ records }) => records(fleetTenantId, ReconciliationBreak, keyOf(finding)))

/** A finding with the open breaks that it is judged by. */
export interface Judgeable {
  readonly finding: Finding
  readonly open: ReadonlyArray<ReconciliationBreak>
}

const verdictOf = ({ finding: { found }, open }: Judgeable): Verdict | null =>
  found === null ? null : judgeOpen(found, open)

/** Whether a finding would open or close a break: it is worth a second look. */
export const isSurprising = (judgeable: Judgeable): boolean => {
  const verdict = verdictOf(judgeable)
  return verdict !== null && (verdict.opened !== 0n || verdict.closed.length > 0)
}

/** What could explain that the books say so much more, or less, than a place shows: what is in flight there, and what was booked. */
export const candidatesAt = Effect.fnUntraced(function* (
  account: AssetAccount,
  { currency, units }: { readonly currency: string; readonly units: bigint },
  around: Timestamp,
  movements: ReadonlyArray<Movement> = []
) {
  const size = units < 0n ? -units : units
  const lines = yield* (yield* Positions).lines({ account, currency, units: size, around, limit: candidatesMax })
  return candidatesOf(size, around, { movements, lines })
})

const candidatesFor = ({ currency, movements, place }: Finding, units: bigint, around: Timestamp) =>
  candidatesAt(place.account, { currency, units }, around, movements)

/** For so many open breaks it is looked again what could explain them, the largest: strangers may have made any number by small amounts. */
const lookedForMax = 32

/** What could explain what comes on top by a verdict, and each open break that nobody has explained. */
const candidatesOfAll = Effect.fnUntraced(function* (
  finding: Finding,
  open: ReadonlyArray<ReconciliationBreak>,
  verdict: Pick<Verdict, "closed" | "opened"> | null
) {
  if (verdict === null) return { candidates: [], explaining: new Map<string, ReadonlyArray<Candidate>>() }
  const { closed, opened } = verdict
  const stay = open.filter(
    ({ about, explanation, id }) => about === null && explanation === null && !closed.includes(id)
  )
  const explaining = yield* Effect.forEach(largest(stay, lookedForMax), ({ id, since, units }) =>
    Effect.map(candidatesFor(finding, units, since), (candidates) => [id, candidates] as const)
  )
  const candidates = opened === 0n ? [] : yield* candidatesFor(finding, opened, finding.at)
  return { candidates, explaining: new Map(explaining) }
})

const told = ({ about, currency, id, place, since, units }: ReconciliationBreak) => ({
  place,
  currency,
  break: id,
  units: units.toString(),
  since: new Date(since).toISOString(),
  ...(about === null ? {} : { [about.kind]: about.id })
})

/** Tells of breaks that were opened and closed. */
export const tellBreaks = Effect.fnUntraced(function* ({
  closed,
  opened
}: Readonly<Record<"closed" | "opened", ReadonlyArray<ReconciliationBreak>>>) {
  for (const one of opened)
    yield* Effect.annotateLogs(Effect.logWarning("reconciliation.break_opened"), {
      ...told(one),
      candidates: one.candidates.map(({ id }) => id).join(", ") || "none"
    })
  for (const one of closed) yield* Effect.annotateLogs(Effect.logInfo("reconciliation.break_closed"), told(one))
})

/** Logs the alarms that were raised, and what was stopped because of them. */
export const logAlarms = Effect.fnUntraced(function* ({ alarmed, stopped }: Alarmed) {
  for (const one of alarmed) yield* Effect.annotateLogs(Effect.logError("reconciliation.alarm"), told(one))
  if (stopped === null) return
  const { network, reason } = stopped
  yield* Effect.annotateLogs(Effect.logError("reconciliation.payouts_stopped"), { stopped: network, reason })
})

const tell = Effect.fnUntraced(function* (recorded: ObservationRecorded) {
  const { closed, opened } = recorded
  yield* tellBreaks({ closed, opened: opened === null ? [] : [opened] })
  yield* logAlarms(recorded)
})

/** Records a finding, and tells of what it changes. */
export const record = Effect.fn("reconcile.record")(function* (
  recording: Recording,
  judgeable: Judgeable,
  look: "steady" | "moving"
) {
  const { finding, open } = judgeable
  const { currencies, fence } = recording
  const { joined: _joined, movements: _movements, ...observed } = finding
  const verdict = verdictOf(judgeable)
  const rule = yield* alarmRule(recording, { ...verdict, place: finding.place.name, currency: finding.currency, open })
  const named = yield* candidatesOfAll(finding, open, verdict)
  const recorded = yield* submitFenced(fence, fleetTenantId, recordObservation({ ...observed, ...named, look, rule }))
  yield* tell(recorded)
  yield* showObservation(recorded.observation, recorded.open, currencies)
})

/** What recording needs. */
export type RecordPorts = Positions | Queries | Statements | Writer
