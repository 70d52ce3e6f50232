import { putRecord } from "@bursar/core/engine/Records"
import { Writer } from "@bursar/core/engine/Writer"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { Custodian } from "@bursar/core/port/Custodian"
import { ProviderError } from "@bursar/core/port/ProviderError"
import { ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { writing } from "@bursar/testkit/fixtures/commands"
import { makeFakeCustodian } from "@bursar/testkit/fixtures/FakeCustodian"
import { Queries } from "@bursar/core/store/Queries"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer, Logger } from "effect"
import { Egress } from "../../src/egress/Egress.ts"
import { begin, oneProcess, ticks } from "../watch/world.ts"
import { allBreaks, reconciling } from "./world.ts"

/** Ports of reading over which a break cannot be read, as where somebody has written into its row: the whole list of its kind cannot be, either. */
const withUnreadable = (row: { readonly id: string }) =>
  Effect.map(Queries, (queries) =>
    Queries.of({
      ...queries,
      records: (tenantId, of, group) =>
        of.name === ReconciliationBreak.name && group === undefined
          ? Effect.die(new Error("the database gave object where text was expected"))
          : queries.records(tenantId, of, group),
      readable: (tenantId, of) =>
        Effect.map(queries.readable(tenantId, of), (found) =>
          of.name === ReconciliationBreak.name
            ? { ...found, unreadable: [{ row: `reconciliation_break ${row.id}`, problem: "text was expected" }] }
            : found
        )
    })
  )

it.effect("a break that cannot be read keeps no other from becoming an alarm, and is told of once an hour", () => {
  const logged: Array<string> = []
  const log = Logger.layer([
    Logger.map(Logger.formatStructured, ({ annotations, message }) => {
      logged.push(`${String(message)} ${String(annotations["row"] ?? annotations["break"] ?? "")}`)
    })
  ])
  return Effect.gen(function* () {
    yield* begin
    yield* newTenant()
    const theft: ReconciliationBreak = {
      ...{ id: crypto.randomUUID(), place: "custodian:kraken", currency: "BTC", units: 40n },
      ...{ since: yield* Clock.currentTimeMillis, sinceBlock: null, candidates: [], about: null },
      ...{ explanation: null, alarmedAt: null, toldAt: null, closedAt: null }
    }
    yield* (yield* Writer).submit(
      fleetTenantId,
      writing(() => [putRecord(ReconciliationBreak, theft)])
    )
    const refused = Effect.fail(new ProviderError({ provider: "kraken", doing: "tell its balance", detail: "503" }))
    const custodian = Custodian.of({
      ...makeFakeCustodian(() => assert.fail("nothing is ordered"), [], undefined, "kraken", "LIVE").provider,
      assets: Effect.succeed([{ currency: "BTC", withdrawable: true, pool: "btc" }]),
      balances: refused
    })
    yield* Effect.forkScoped(
      reconciling([], { alarmAfterMs: 5_000 }).pipe(
        Effect.provideService(Custodian, custodian),
        Effect.provideServiceEffect(Queries, withUnreadable({ id: "odd" }))
      )
    )
    yield* ticks(300)
    assert.isNotNull((yield* allBreaks).find((one) => one.id === theft.id)?.alarmedAt)
    assert.include(logged, `reconciliation.alarm ${theft.id}`)
    const told = "reconciliation.row_unreadable reconciliation_break odd"
    assert.lengthOf(
      logged.filter((one) => one === told),
      1
    )
  }).pipe(Effect.provide([oneProcess(), log]))
})

for (const candidates of [[], 7, { length: 1 }, [null]])
  it.effect(`a theft is told to the operators' URL, whatever another row says: ${JSON.stringify(candidates)}`, () => {
    const told: Array<string> = []
    const send: Egress["Service"]["send"] = ({ body }) =>
      Effect.sync(() => {
        told.push(JSON.parse(String(body)).break)
        return { status: 204, headers: new Map(), body: new Uint8Array(), truncated: false }
      })
    return Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant()
      const writer = yield* Writer
      const since = yield* Clock.currentTimeMillis
      const shown = (more: Partial<ReconciliationBreak>): ReconciliationBreak => ({
        id: crypto.randomUUID(),
        place: "custodian:kraken",
        currency: "BTC",
        units: 40n,
        since,
        sinceBlock: null,
        candidates: [],
        about: { kind: "operation", id: crypto.randomUUID(), tenantId: id },
        explanation: null,
        alarmedAt: null,
        toldAt: null,
        closedAt: null,
        ...more
      })
      // what somebody has put into the table: a closed one of another place is enough
      const odd = shown({
        id: "00000000-0000-4000-8000-000000000000",
        place: "custodian:gone",
        alarmedAt: since,
        closedAt: since,
        candidates: candidates as never // of no type, since somebody has written it into the table
      })
      const theft = shown({})
      yield* writer.submit(
        fleetTenantId,
        writing(() => [odd, theft].map((one) => putRecord(ReconciliationBreak, one)))
      )
      const refused = Effect.fail(new ProviderError({ provider: "kraken", doing: "tell its balance", detail: "503" }))
      const custodian = Custodian.of({
        ...makeFakeCustodian(() => assert.fail("nothing is ordered"), [], undefined, "kraken", "LIVE").provider,
        assets: Effect.succeed([{ currency: "BTC", withdrawable: true, pool: "btc" }]),
        balances: refused
      })
      yield* Effect.forkScoped(
        reconciling([], { alarmAfterMs: 5_000, alarmUrl: "https://ops.example/alarms" }).pipe(
          Effect.provideService(Custodian, custodian)
        )
      )
      yield* ticks(300)
      assert.isNotNull((yield* allBreaks).find((one) => one.id === theft.id)?.alarmedAt)
      assert.include(told, theft.id)
    }).pipe(Effect.provide([oneProcess(), Layer.succeed(Egress, Egress.of({ send }))]))
  })
