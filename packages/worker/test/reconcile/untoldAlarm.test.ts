import { putRecord } from "@bursar/core/engine/Records"
import { StorageError } from "@bursar/core/engine/StorageError"
import { Writer } from "@bursar/core/engine/Writer"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { Custodian } from "@bursar/core/port/Custodian"
import { ProviderError } from "@bursar/core/port/ProviderError"
import { ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { writing } from "@bursar/testkit/fixtures/commands"
import { makeFakeCustodian } from "@bursar/testkit/fixtures/FakeCustodian"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { Egress } from "../../src/egress/Egress.ts"
import { begin, oneProcess, ticks } from "../watch/world.ts"
import { allBreaks, reconciling } from "./world.ts"

for (const refused_ of [false, true])
  it.effect(
    `a theft is told to the operators' URL, also where the storage refuses to note another as told: ${refused_}`,
    () => {
      const candidates: ReadonlyArray<never> = []
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
          candidates
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
        // as PostgreSQL, where the group of the row is more than an entry of an index holds
        const refusing = Writer.of({
          ...writer,
          submit: (tenantId, command) =>
            refused_ && JSON.stringify(command.reads).includes(odd.id)
              ? Effect.fail(
                  new StorageError({ doing: "commit", cause: "index row requires 14432 bytes", unstorable: true })
                )
              : writer.submit(tenantId, command)
        })
        yield* Effect.forkScoped(
          reconciling([], { alarmAfterMs: 5_000, alarmUrl: "https://ops.example/alarms" }).pipe(
            Effect.provideService(Custodian, custodian),
            Effect.provideService(Writer, refusing)
          )
        )
        yield* ticks(300)
        assert.isNotNull((yield* allBreaks).find((one) => one.id === theft.id)?.alarmedAt)
        assert.include(told, theft.id)
      }).pipe(Effect.provide([oneProcess(), Layer.succeed(Egress, Egress.of({ send }))]))
    }
  )
