import { putRecord } from "@bursar/core/engine/Records"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { type Candidate, ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { Queries } from "@bursar/core/store/Queries"
import { writing } from "@bursar/testkit/fixtures/commands"
import { commitAt, past } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()

const candidate: Candidate = {
  kind: "operation",
  id: crypto.randomUUID(),
  tenantId: crypto.randomUUID(),
  at: past,
  reason: "it is as much"
}

const breakOf = (): ReconciliationBreak => ({
  id: crypto.randomUUID(),
  place: "custodian:kraken",
  currency: "BTC",
  units: 40n,
  since: past,
  sinceBlock: null,
  candidates: [],
  about: null,
  explanation: null,
  alarmedAt: null,
  toldAt: null,
  closedAt: null
})

/** What somebody who writes the table puts there, and the candidates that the break has then. */
const odd: ReadonlyArray<readonly [unknown, ReadonlyArray<Candidate>]> = [
  [7, []],
  [{ length: 1 }, []],
  [null, []],
  [[null, candidate], [candidate]],
  [
    [
      { ...candidate, at: 1e20 },
      { ...candidate, kind: "other" }
    ],
    []
  ]
]

describe("a break whose row names candidates in another form", () => {
  layer(ports(), { excludeTestServices: true })((it) => {
    for (const [form, candidates] of odd)
      it.effect(`is read without them: ${JSON.stringify(form).slice(0, 20)}`, () =>
        Effect.gen(function* () {
          const one = breakOf()
          const { id } = one
          yield* commitAt(
            fleetTenantId,
            past,
            writing(() => [putRecord(ReconciliationBreak, one)])
          )
          const sql = yield* client(url)
          yield* sql`update reconciliation_break set candidates = ${JSON.stringify(form)}::json where break_id = ${id}`
          const { record } = yield* Queries
          assert.deepStrictEqual(yield* record(fleetTenantId, ReconciliationBreak, id), { ...one, candidates })
        })
      )
  })
})

describe("a break whose row cannot be read", () => {
  layer(ports(), { excludeTestServices: true })((it) => {
    it.effect("hides no other break, and is named", () =>
      Effect.gen(function* () {
        const [odd, theft] = [breakOf(), breakOf()]
        yield* commitAt(
          fleetTenantId,
          past,
          writing(() => [odd, theft].map((one) => putRecord(ReconciliationBreak, one)))
        )
        const sql = yield* client(url)
        // as who owns the schema can
        yield* sql`alter table reconciliation_break drop constraint reconciliation_break_readable`
        yield* sql`update reconciliation_break set since = 'infinity' where break_id = ${odd.id}`
        const { readable } = yield* Queries
        const { records, unreadable } = yield* readable(fleetTenantId, ReconciliationBreak)
        assert.deepInclude(records, theft)
        assert.notInclude(
          records.map(({ id }) => id),
          odd.id
        )
        const row = `reconciliation_break ${odd.id}`
        assert.deepStrictEqual(unreadable, [{ row, problem: "the database gave object where a moment was expected" }])
      })
    )
  })
})
