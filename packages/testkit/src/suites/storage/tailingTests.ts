import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { confirmDeposits } from "@bursar/core/incoming/confirmDeposits"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import { recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import type { Event } from "@bursar/core/event/Event"
import { emit } from "@bursar/core/engine/emit"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { Queries } from "@bursar/core/store/Queries"
import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { refused, writing } from "../../fixtures/commands.ts"
import { incomingTransferAt, newAddress } from "../../fixtures/deposits.ts"
import { newTenant } from "../../fixtures/tenants.ts"
import { TwoWriters } from "../harness.ts"
import type { StorageIt } from "./services.ts"

const writers = 32

/** Reads pages until the writers have ended and a page read after that is empty. */
const tail = Effect.fnUntraced(function* <A, E, R>(
  page: (after: number) => Effect.Effect<ReadonlyArray<A>, E, R>,
  position: (row: A) => number,
  ended: () => boolean
) {
  const seen: Array<A> = []
  let after = 0
  while (true) {
    const last = ended()
    const rows = yield* page(after)
    seen.push(...rows)
    after = rows.reduce((highest, row) => Math.max(highest, position(row)), after)
    if (last && rows.length === 0) return seen
    yield* Effect.yieldNow
  }
})

/** A reader that follows the feeds while others write sees every row, once, in order. */
export const tailingTests = (it: StorageIt, timeoutMs: number): void => {
  it.effect(
    "a reader behind 32 writers misses and reorders no event",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const { first, second } = yield* TwoWriters
        const queries = yield* Queries
        const burst = (writer: number, turn: number) =>
          writing((view) =>
            Array.from({ length: 1 + (turn % 3) }, (_, index) =>
              emit(view, "deposit.detected", view.newId(), { writer, turn, index })
            )
          )
        let ended = false
        const writing32 = yield* Effect.forEach(
          Array.from({ length: writers }, (_, index) => index),
          (writer) =>
            Effect.forEach(
              Array.from({ length: 20 }, (_, turn) => turn),
              (turn) => {
                const process = (writer + turn) % 2 === 0 ? first : second
                return turn % 7 === 6
                  ? Effect.asVoid(Effect.exit(process.submit(id, refused)))
                  : Effect.asVoid(process.submit(id, burst(writer, turn)))
              },
              { discard: true }
            ),
          { concurrency: "unbounded", discard: true }
        ).pipe(
          Effect.ensuring(
            Effect.sync(() => {
              ended = true
            })
          ),
          Effect.forkChild
        )
        const seen = yield* tail(
          (after) => queries.events(id, after, 37),
          (event: Event) => event.id,
          () => ended
        )
        yield* Fiber.join(writing32)

        assert.deepStrictEqual(
          seen.map((event) => event.id),
          seen.map((_, index) => index + 1)
        )
        const turns = Array.from({ length: 20 }, (_, turn) => turn).filter((turn) => turn % 7 !== 6)
        assert.strictEqual(seen.length, writers * turns.reduce((sum, turn) => sum + 1 + (turn % 3), 0))
        for (let writer = 0; writer < writers; writer++) {
          const own = seen
            .filter(({ data }) => data["writer"] === writer)
            .map(({ data }) => [data["turn"], data["index"]])
          assert.deepStrictEqual(
            own,
            turns.flatMap((turn) => Array.from({ length: 1 + (turn % 3) }, (_, index) => [turn, index]))
          )
        }
      }),
    timeoutMs
  )

  it.effect(
    "a reader behind 32 writers misses and reorders no change of a deposit",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const { first, second } = yield* TwoWriters
        const queries = yield* Queries
        const address = yield* newAddress(id)
        let ended = false
        const life = (writer: number, turn: number) =>
          Effect.gen(function* () {
            const [process, other] = (writer + turn) % 2 === 0 ? [first, second] : [second, first]
            const incomingTransfer = incomingTransferAt(address, BigInt(writer * 100 + turn + 1))
            const command = recordIncomingTransfers(
              { network: "ethereum", requiredConfirmations: 3, incomingTransfers: [incomingTransfer] },
              defaultCurrencies
            )
            const deposits = yield* process.submit(id, command)
            const found = deposits.map((deposit) => ({
              deposit,
              blockHash: incomingTransfer.block.hash,
              confirmations: 3
            }))
            yield* other.submit(id, confirmDeposits(found, defaultCurrencies, nothingUndecided))
          })
        const writing32 = yield* Effect.forEach(
          Array.from({ length: writers }, (_, index) => index),
          (writer) =>
            Effect.forEach(
              Array.from({ length: 6 }, (_, turn) => turn),
              (turn) => life(writer, turn),
              { discard: true }
            ),
          { concurrency: "unbounded", discard: true }
        ).pipe(
          Effect.ensuring(
            Effect.sync(() => {
              ended = true
            })
          ),
          Effect.forkChild
        )
        const seen = yield* tail(
          (after) => queries.deposits(id, { after, limit: 37 }),
          (deposit: Deposit) => deposit.changeSeq,
          () => ended
        )
        yield* Fiber.join(writing32)

        const positions = seen.map(({ changeSeq }) => changeSeq)
        assert.deepStrictEqual(
          positions,
          [...positions].toSorted((left, right) => left - right)
        )
        assert.strictEqual(new Set(positions).size, positions.length)
        const stored = yield* queries.deposits(id, { after: 0, limit: 10_000 })
        assert.strictEqual(stored.length, writers * 6)
        assert.isTrue(stored.every(({ status }) => status === "CONFIRMED"))
        const last = new Map(seen.map((deposit) => [deposit.id, deposit]))
        for (const deposit of stored) assert.deepStrictEqual(last.get(deposit.id), deposit)
        // every deposit changed twice, so the counter ends at twice their number
        assert.strictEqual(stored.at(-1)?.changeSeq, writers * 6 * 2)
      }),
    timeoutMs
  )
}
