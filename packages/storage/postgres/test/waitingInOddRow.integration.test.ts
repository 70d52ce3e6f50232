import { HeldArrivals } from "@bursar/core/port/HeldArrivals"
import { Quarantine } from "@bursar/core/port/Quarantine"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { takeFence } from "@bursar/testkit/fixtures/fences"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()

const since = Date.UTC(2026, 2, 3, 4, 5, 6)

layer(ports(), { excludeTestServices: true })("a row of another form", (it) => {
  it.effect("hides no other that waits for operators", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const sql = yield* client(url)
        const fence = yield* takeFence("watch:base")
        const [held, quarantine] = [yield* HeldArrivals, yield* Quarantine]
        for (const txHash of ["0x1", "0x2"]) {
          yield* held.hold(fence, {
            network: "base",
            txHash,
            transferIndex: 1,
            blockHash: "0xb7",
            blockNumber: 7,
            tenantId: TenantId("01980000-0000-7000-8000-000000000000"),
            address: "0xA1",
            currency: "USDC_BASE",
            units: 5n,
            state: "disputed",
            said: [{ node: "n", operator: "o", says: "s" }],
            since
          })
          yield* quarantine.add(fence, [
            {
              network: "base",
              block: { hash: "0xb7", number: 7, time: since },
              txHash,
              reason: "r",
              gains: [{ to: "a", contract: null, units: 5n }],
              noticedAt: since
            }
          ])
        }
        const ofHeld = Effect.map(held.list({ network: null, open: true, limit: 10 }), (all) =>
          all.map(({ said, txHash }) => [txHash, said.map(({ says }) => says)])
        )
        const listed = Effect.map(quarantine.list({ network: null, open: true, limit: 10 }), (all) =>
          all.map(({ gains, txHash }) => [txHash, gains?.map(({ units }) => units) ?? null])
        )
        // what the watcher goes by
        const from = Effect.map(quarantine.openFrom("base", 1), (all) => all.map(({ txHash }) => txHash))
        for (const said of ['{"a":1}', "[null]", '[{"node":1}]', "7"]) {
          yield* sql`update held_arrival set said = ${said}::json where tx_hash = '0x1'`
          assert.deepStrictEqual(yield* ofHeld, [
            ["0x1", []],
            ["0x2", ["s"]]
          ])
        }
        const good = '{"to":"a","contract":null,"units":"5"}'
        for (const gains of ['{"a":1}', "[null]", `[${good},{"to":"a","contract":null,"units":"x"}]`, "7"]) {
          yield* sql`update quarantine set gains = ${gains}::json where tx_hash = '0x1'`
          assert.deepStrictEqual(yield* listed, [
            ["0x1", null],
            ["0x2", [5n]]
          ])
          assert.deepStrictEqual(yield* from, ["0x1", "0x2"])
        }
      })
    )
  )
})
