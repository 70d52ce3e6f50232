import { putRecord, readGroup, readRecord } from "@bursar/core/engine/Records"
import { Writer } from "@bursar/core/engine/Writer"
import { positionKey } from "@bursar/core/reconciliation/Place"
import { observationsOfDay, PastObservation, PlaceObservation } from "@bursar/core/reconciliation/PlaceObservation"
import { keepSight, PlaceSight } from "@bursar/core/reconciliation/PlaceSight"
import { ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { Statement } from "@bursar/core/reconciliation/statement/Statement"
import { SplitEntry } from "@bursar/core/reconciliation/statement/SplitEntry"
import {
  lineKey,
  linesAbout,
  StatementLine,
  unassignedLines
} from "@bursar/core/reconciliation/statement/StatementLine"
import { Queries } from "@bursar/core/store/Queries"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { looking, writing } from "../../fixtures/commands.ts"
import { difficultText, hugeUnits } from "../../fixtures/records.ts"
import { newTenant } from "../../fixtures/tenants.ts"
import type { StorageIt } from "./services.ts"

const noon = Date.UTC(2026, 10, 23, 12)
const hourMs = 3_600_000

const observationAt = (at: number, more: Partial<PlaceObservation> = {}): PlaceObservation => ({
  place: `custodian:${difficultText}`,
  kind: "custodian",
  currency: "ETH",
  observation: "observed",
  ledger: hugeUnits,
  observed: hugeUnits + 12n,
  inFlight: -7n,
  inFlightLeast: -hugeUnits,
  inFlightMost: 0n,
  difference: -5n,
  block: null,
  at,
  ...more
})

const untold = { observation: "unsupported", observed: null, difference: null } as const
const calm = { inFlight: 0n, inFlightLeast: 0n, inFlightMost: 0n } as const

const statementOf = (more: Partial<Statement> = {}): Statement => ({
  place: "bank:bridge",
  id: difficultText,
  currencies: ["EUR", "USD"],
  from: noon,
  to: noon + hourMs,
  parts: 3,
  digest: "d",
  received: [0, 2],
  checkedTo: noon + 1,
  by: difficultText,
  at: noon + 2,
  ...more
})

const lineOf = (id: string, more: Partial<StatementLine> = {}): StatementLine => ({
  place: "bank:bridge",
  statement: difficultText,
  alsoIn: [difficultText, "s"],
  id,
  at: noon,
  currency: "EUR",
  units: -hugeUnits,
  references: [],
  text: "",
  about: null,
  ...more
})

/** Observations and breaks come back as they were written, in the groups in which they are looked for. */
export const reconciliationTests = (it: StorageIt, timeoutMs: number): void => {
  it.effect(
    "the newest observation of a currency at a place replaces the one before, and those of a day are kept together",
    () =>
      Effect.gen(function* () {
        const { id: tenantId } = yield* newTenant()
        const { submit } = yield* Writer
        const { records } = yield* Queries
        const block = { number: 9_000_000_000, hash: difficultText }
        const all = [
          observationAt(noon),
          observationAt(noon + hourMs, { block, kind: "payout_wallets" }),
          observationAt(noon + 2 * hourMs, { ...untold, ...calm }),
          observationAt(noon + 12 * hourMs),
          observationAt(noon, { currency: "BTC" })
        ]
        const [first, second, third, fourth, other] = all
        for (const one of all)
          yield* submit(
            tenantId,
            writing((view) => [
              putRecord(PlaceObservation, one),
              putRecord(PastObservation, { ...one, id: view.newId() })
            ])
          )
        assert.sameDeepMembers([...(yield* records(tenantId, PlaceObservation))], [fourth, other])
        const dayOf = (day: string) =>
          Effect.map(
            records(tenantId, PastObservation, observationsOfDay(observationAt(0).place, "ETH", day)),
            (found) => found.map(({ at }) => at).toSorted((left, right) => left - right)
          )
        assert.deepStrictEqual(yield* dayOf("2026-11-23"), [first?.at, second?.at, third?.at])
        assert.deepStrictEqual(yield* dayOf("2026-11-24"), [fourth?.at])
      }),
    timeoutMs
  )

  it.effect(
    "of each place it is kept when it was seen last",
    () =>
      Effect.gen(function* () {
        const { id: tenantId } = yield* newTenant()
        const { submit } = yield* Writer
        const { records } = yield* Queries
        for (const seenAt of [noon, noon + hourMs]) yield* submit(tenantId, keepSight({ name: "ethereum", seenAt }))
        assert.deepStrictEqual(yield* records(tenantId, PlaceSight), [{ name: "ethereum", seenAt: noon + hourMs }])
      }),
    timeoutMs
  )

  it.effect(
    "breaks round-trip, and those that are open at a place are read together",
    () =>
      Effect.gen(function* () {
        const { id: tenantId } = yield* newTenant()
        const { submit } = yield* Writer
        const { records } = yield* Queries
        const breakOf = (id: string, more: Partial<ReconciliationBreak> = {}): ReconciliationBreak => ({
          id,
          place: "bank:bridge",
          currency: "EUR",
          units: -hugeUnits,
          since: noon,
          sinceBlock: null,
          candidates: [],
          about: null,
          explanation: null,
          alarmedAt: null,
          toldAt: null,
          closedAt: null,
          ...more
        })
        const written = yield* submit(
          tenantId,
          writing((view) =>
            [
              breakOf(view.newId()),
              breakOf(view.newId(), {
                sinceBlock: 9_000_000_000,
                candidates: [
                  { kind: "operation", id: difficultText, tenantId: difficultText, at: noon, reason: difficultText }
                ],
                about: { kind: "statement_line", id: difficultText },
                explanation: { by: difficultText, note: difficultText, at: noon + 1 },
                alarmedAt: noon + 2,
                toldAt: noon + 4
              }),
              breakOf(view.newId(), { closedAt: noon }),
              breakOf(view.newId(), { currency: "USD" })
            ].map((one) => putRecord(ReconciliationBreak, one))
          )
        )
        const all = written.map(({ record }) => record)
        assert.sameDeepMembers([...(yield* records(tenantId, ReconciliationBreak))], all)
        const group = positionKey("bank:bridge", "EUR")
        const [bare, full, closed] = all
        if (bare === undefined || full === undefined || closed === undefined) return assert.fail("nothing was written")
        assert.sameDeepMembers([...(yield* records(tenantId, ReconciliationBreak, group))], [bare, full])
        yield* submit(
          tenantId,
          writing(() => [putRecord(ReconciliationBreak, { ...full, closedAt: noon + 3 })])
        )
        const seen = yield* submit(
          tenantId,
          looking([readGroup(ReconciliationBreak, group), readRecord(ReconciliationBreak, full.id)], (view) => [
            view.group(ReconciliationBreak, group),
            view.get(ReconciliationBreak, full.id)
          ])
        )
        assert.deepStrictEqual(seen, [[bare], { ...full, closedAt: noon + 3 }])
        return undefined
      }),
    timeoutMs
  )

  it.effect(
    "statements and their lines round-trip, and lines are read by what they are about",
    () =>
      Effect.gen(function* () {
        const { id: tenantId } = yield* newTenant()
        const { submit } = yield* Writer
        const { records } = yield* Queries
        const about = { operationId: crypto.randomUUID(), tenantId }
        const statements = [
          statementOf(),
          statementOf({ id: "interface", currencies: null }),
          statementOf({ place: "p" })
        ]
        const known = lineOf("1", { about })
        const unknown = lineOf(difficultText, { references: [difficultText, "2"], text: difficultText, units: 1n })
        const elsewhere = lineOf("3", { place: "p" })
        const split = { at: 5, currency: "EUR", units: 1n, told: 0n }
        const entries = [difficultText, "2"].map((statement): SplitEntry => {
          return { ...split, place: "bank:bridge", id: difficultText, statement }
        })
        const large: SplitEntry = { ...split, place: "p", id: "1", statement: "2", units: -(10n ** 30n), told: -7n }
        yield* submit(
          tenantId,
          writing(() => [
            ...statements.map((one) => putRecord(Statement, one)),
            ...[known, unknown, elsewhere].map((one) => putRecord(StatementLine, one)),
            ...[...entries, large].map((one) => putRecord(SplitEntry, one))
          ])
        )
        assert.sameDeepMembers([...(yield* records(tenantId, Statement, "bank:bridge"))], statements.slice(0, 2))
        const read = (group: string) => records(tenantId, StatementLine, group)
        assert.deepStrictEqual(yield* read(linesAbout("bank:bridge", about.operationId)), [known])
        assert.deepStrictEqual(yield* read(unassignedLines("bank:bridge")), [unknown])
        assert.deepStrictEqual(yield* read(unassignedLines("p")), [elsewhere])
        const toldOf = (place: string, id: string) => records(tenantId, SplitEntry, lineKey(place, id))
        assert.sameDeepMembers([...(yield* toldOf("bank:bridge", difficultText))], entries)
        assert.deepStrictEqual(yield* toldOf("p", "1"), [large])
      }),
    timeoutMs
  )
}
