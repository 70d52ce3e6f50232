import { putRecord } from "@bursar/core/engine/Records"
import { UnsweptImports } from "@bursar/core/operation/UnsweptImports"
import { Queries } from "@bursar/core/store/Queries"
import { Sweep } from "@bursar/core/sweep/Sweep"
import { SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"
import { layerConnection, rebuildTotals } from "@bursar/postgres"
import { writing } from "@bursar/testkit/fixtures/commands"
import { commitAt, newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()

const sweep = (state: Sweep["state"], closedAt: number | null): Sweep => ({
  ...{ id: crypto.randomUUID(), network: "base", addressId: crypto.randomUUID(), address: "0xa", account: "0xa" },
  ...{ key: { _tag: "Imported" }, currency: "ETH_BASE", contract: null, units: 5n, state, topUpTransactionId: null },
  ...{ sweepTransactionId: null, deposits: [], problem: null, createdAt: past, endedAt: closedAt, closedAt }
})

describe("what of a tenant's deposits backs nothing", () => {
  layer(ports(), { excludeTestServices: true })((it) => {
    it.effect("is counted anew as the release before has left it: none of it", () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const other = yield* newTenant()
        const queries = yield* Queries
        const [open, moved] = [sweep("SWEEP_SIGNED", null), sweep("SWEPT", past)]
        let count = 0
        const deposit = (more: Partial<SweepableDeposit>): SweepableDeposit => ({
          ...{ depositId: crypto.randomUUID(), network: "base", txHash: `0x${++count}`, transferIndex: 0 },
          ...{ addressId: open.addressId, address: "0xa", currency: "ETH_BASE", contract: null, units: 5n },
          ...{ key: { _tag: "Imported" }, gone: false, sweepId: null, bookedBy: null, unbacked: 0n },
          ...more
        })
        // each with how much of it backs nothing
        const all: ReadonlyArray<readonly [SweepableDeposit, bigint]> = [
          [deposit({}), 5n],
          [deposit({ units: 7n, currency: "USDC_BASE" }), 7n],
          [deposit({ gone: true }), 0n],
          [deposit({ bookedBy: crypto.randomUUID() }), 0n],
          [deposit({ key: { _tag: "Issued", seedId: crypto.randomUUID(), index: 0 } }), 0n],
          [deposit({ sweepId: open.id }), 5n],
          [deposit({ sweepId: open.id, gone: true }), 5n],
          [deposit({ sweepId: moved.id }), 0n],
          [deposit({ sweepId: moved.id, unbacked: 2n }), 2n]
        ]
        const puts = [
          ...[open, moved].map((one) => putRecord(Sweep, one)),
          ...all.map(([one]) => putRecord(SweepableDeposit, one)),
          putRecord(UnsweptImports, { currency: "BTC", units: 3n })
        ]
        yield* commitAt(
          id,
          past,
          writing(() => puts)
        )
        yield* commitAt(
          other.id,
          past,
          writing(() => [putRecord(SweepableDeposit, deposit({}))])
        )
        const rebuilt = Effect.provide(rebuildTotals(id), layerConnection({ url }))
        for (const _ of ["once", "and again, which changes nothing"]) {
          yield* rebuilt
          for (const [one, unbacked] of all)
            assert.deepStrictEqual(yield* queries.record(id, SweepableDeposit, SweepableDeposit.key(one)), {
              ...one,
              unbacked
            })
          assert.sameDeepMembers(
            [...(yield* queries.records(id, UnsweptImports))],
            [
              { currency: "ETH_BASE", units: 17n },
              { currency: "USDC_BASE", units: 7n }
            ]
          )
        }
        assert.deepStrictEqual(yield* queries.records(other.id, UnsweptImports), [])
      })
    )
  })
})
