import { putRecord } from "@bursar/core/engine/Records"
import { of } from "@bursar/core/money/Amount"
import { Operation } from "@bursar/core/operation/Operation"
import { Queries } from "@bursar/core/store/Queries"
import { writing } from "@bursar/testkit/fixtures/commands"
import { bareOperation } from "@bursar/testkit/fixtures/records"
import { commitAt, newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { reversedArrivals } from "../src/migrations/reversedArrivals.ts"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()

type Details = Operation<"ADJUSTMENT">["details"]

describe("what had arrived in suspense and was taken back", () => {
  layer(ports(), { excludeTestServices: true })((it) => {
    it.effect("says so, and is assigned as before where it is booked again", () =>
      Effect.gen(function* () {
        const tenant = yield* newTenant()
        let count = 0
        const newId = () => `018bcfe5-6800-7000-8000-${String((count += 1)).padStart(12, "0")}`
        const made = (details: Details, amount = of(5n, "XLM")) =>
          bareOperation({ newId, now: past, tenant }, { network: "stellar", txHash: "t", details, amount })
        /** What stands in suspense, was taken back, and is booked again. */
        const story = (arrival: Details, before: Details, after: Details = {}, amount = of(5n, "XLM")) => {
          const first = made({ ...arrival, ...before })
          const back = made({ ...arrival, reverses: first.id })
          return { first, back, again: made({ ...arrival, ...after }, amount) }
        }
        const wallet = (transfer_index: number) => ({
          wallet_arrival: { network: "stellar", tx_hash: "t", transfer_index }
        })
        const by = (operation_id: string | null) => ({ assigned: { adjustment_id: newId(), operation_id } })
        const given = by(newId())
        const [waiting, twice] = [by(null), by(newId())]
        const stories = [
          [story(wallet(0), given), given],
          [story({ uncredited_deposit: newId() }, given), given],
          [story(wallet(1), given, waiting), given],
          // it was assigned twice, which nothing can undo here
          [story(wallet(2), given, twice), null],
          [story(wallet(3), {}, waiting), null],
          [story(wallet(4), by(null)), null],
          // it brought something else
          [story(wallet(7), given, {}, of(6n, "XLM")), null],
          [story(wallet(8), given, {}, of(5n, "USDC_STELLAR")), null],
          [story(wallet(9), given, { own_units: "2" }), null],
          [story(wallet(10), given, { own_units: "2" }, of(7n, "XLM")), given]
        ] as const
        const standing = made({ ...wallet(5), ...given })
        // one of another arrival, of the same transaction
        const beside = made(wallet(6))
        const moved = made({ own_transfer: true })
        const movedBack = made({ own_transfer: true, reverses: moved.id })
        const others = [standing, beside, moved, movedBack]
        yield* commitAt(
          tenant.id,
          past,
          writing(() =>
            [...stories.flatMap(([{ again, back, first }]) => [first, back, again]), ...others].map((one) =>
              putRecord(Operation, one)
            )
          )
        )
        const sql = yield* client(url)
        const queries = yield* Queries
        const found = (one: Operation) => queries.operation(tenant.id, one.id)
        for (const _ of ["once", "and again, which changes nothing"]) {
          yield* Effect.forEach(reversedArrivals.statements(sql), (statement) => statement, { discard: true })
          for (const [{ again, back, first }, assigned] of stories) {
            assert.deepStrictEqual(yield* found(first), {
              ...first,
              details: { ...first.details, reversed_by: back.id }
            } as Operation) // with one more of its own details
            assert.deepStrictEqual(yield* found(back), back)
            const more = assigned === null ? {} : { ...assigned, succeeds: first.id }
            assert.deepStrictEqual(yield* found(again), {
              ...again,
              details: { ...again.details, ...more }
            } as Operation) // as above
          }
          for (const one of others) assert.deepStrictEqual(yield* found(one), one)
        }
      }).pipe(Effect.scoped)
    )
  })
})
