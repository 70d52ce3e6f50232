import * as Writer from "@bursar/core/engine/Writer"
import type { Storage } from "@bursar/core/engine/Storage"
import type { Tenants } from "@bursar/core/port/Tenants"
import { Journal, type JournalEntry } from "@bursar/core/store/Journal"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, layer as layerTests } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { adjust } from "../fixtures/commands.ts"
import { newTenant } from "../fixtures/tenants.ts"
import { type SuiteOptions, timeoutOf } from "./harness.ts"

const book = (id: TenantId, units: ReadonlyArray<bigint>) =>
  Effect.flatMap(Writer.Writer, (writer) =>
    Effect.forEach(units, (one) => writer.submit(id, adjust(one)), { concurrency: 16, discard: true })
  )

const read = (id: TenantId, range: { readonly after: number; readonly through: number }) =>
  Effect.flatMap(Journal, (journal) => Stream.runCollect(journal.entries(id, range)))

const postingsOf = (entries: ReadonlyArray<JournalEntry>): ReadonlyArray<number> =>
  entries.map(({ posting }) => posting)

const numbers = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** What every Journal must do: postings whole and in order, the same whenever they are read, and what accounts held between them. */
export const journalSuite = (
  name: string,
  layer: Layer.Layer<Journal | LedgerSnapshot | Storage | Tenants, unknown>,
  options: SuiteOptions = {}
): void => {
  const timeoutMs = timeoutOf(options)
  const services = Layer.provideMerge(Layer.fresh(Writer.layer), layer)
  layerTests(services, { excludeTestServices: true, timeout: timeoutMs })(`${name}: Journal`, (it) => {
    it.effect(
      "the journal is all that the books hold, each posting whole, more than one fetch of them",
      () =>
        Effect.gen(function* () {
          const { id } = yield* newTenant()
          yield* book(
            id,
            Array.from({ length: 1_500 }, (_, index) => BigInt(index + 1))
          )
          const journal = yield* Journal
          const last = yield* journal.lastPosting(id)
          assert.strictEqual(last, 1_500)
          const entries = yield* read(id, { after: 0, through: last })
          assert.deepStrictEqual(postingsOf(entries), numbers(1, 1_500))
          const snapshot = yield* LedgerSnapshot
          const legs = yield* snapshot.snapshot(id, (ledger) => Stream.runCollect(ledger.legs))
          assert.deepStrictEqual(
            entries.flatMap((entry) => entry.legs),
            legs
          )
          assert.isTrue(entries.every(({ subject }) => subject.kind === "ADJUSTMENT"))
        }),
      timeoutMs
    )

    it.effect(
      "what is booked while a range is read is not in it, and the range reads the same afterwards",
      () =>
        Effect.gen(function* () {
          const { id } = yield* newTenant()
          yield* book(id, [5n, 6n, 7n])
          const writing = yield* Effect.forkChild(
            book(
              id,
              Array.from({ length: 200 }, () => 1n)
            )
          )
          const during = yield* read(id, { after: 1, through: 3 })
          yield* Fiber.join(writing)
          assert.deepStrictEqual(postingsOf(during), [2, 3])
          assert.deepStrictEqual(yield* read(id, { after: 1, through: 3 }), during)
        }),
      timeoutMs
    )

    it.effect(
      "what accounts held between two postings is what the legs of the first left",
      () =>
        Effect.gen(function* () {
          const { id } = yield* newTenant()
          const journal = yield* Journal
          yield* book(id, [5n, 6n, 7n])
          assert.deepStrictEqual(yield* journal.balancesAt(id, 0), [])
          const [first] = yield* read(id, { after: 0, through: 1 })
          const held = yield* journal.balancesAt(id, 1)
          assert.deepStrictEqual(
            held.map(({ account, units }) => [account, units] as const),
            (first?.legs ?? [])
              .map(({ account, balance }) => [account, balance] as const)
              .toSorted(([left], [right]) => (left < right ? -1 : 1))
          )
        }),
      timeoutMs
    )

    it.effect(
      "legs are read by account and currency",
      () =>
        Effect.gen(function* () {
          const { id } = yield* newTenant()
          const journal = yield* Journal
          yield* book(id, [5n, 6n])
          const range = { after: 0, through: 2 }
          const some = yield* Stream.runCollect(journal.entries(id, range, { accounts: ["float:available"] }))
          assert.deepStrictEqual(
            some.map(({ legs }) => legs.map(({ account }) => account)),
            [["float:available"], ["float:available"]]
          )
          assert.deepStrictEqual(yield* Stream.runCollect(journal.entries(id, range, { currency: "it's" })), [])
        }),
      timeoutMs
    )

    it.effect(
      "moments cut the journal where it was booked",
      () =>
        Effect.gen(function* () {
          const { id } = yield* newTenant()
          const journal = yield* Journal
          assert.isUndefined(yield* journal.firstAfter(id, 0))
          yield* book(id, [5n, 6n])
          const [first] = yield* read(id, { after: 0, through: 1 })
          const at = first?.postedAt ?? 0
          assert.strictEqual(yield* journal.firstAfter(id, 0), at)
          assert.strictEqual(yield* journal.lastBefore(id, at, 0), 0)
          assert.strictEqual(yield* journal.lastBefore(id, at + 86_400_000, 0), 2)
          assert.strictEqual(yield* journal.lastBefore(id, at, 2), 2)
          assert.isUndefined(yield* journal.firstAfter(id, 2))
        }),
      timeoutMs
    )
  })
}
