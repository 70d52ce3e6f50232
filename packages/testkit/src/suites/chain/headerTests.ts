import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { SuiteIt } from "../harness.ts"
import { ChainWorld } from "./ChainWorld.ts"

/** How many of the last headers are looked at. */
const headersMax = 12

const lastHeaders = Effect.gen(function* () {
  const { reader } = yield* ChainWorld
  const { latest } = yield* reader.tip
  const first = Math.max(0, latest.number - headersMax + 1)
  return yield* Effect.forEach(
    Array.from({ length: latest.number - first + 1 }, (_, index) => first + index),
    reader.header
  )
})

/** Heights, hashes and times: how the blocks hang together. */
export const headerTests = (it: SuiteIt<ChainWorld>, timeoutMs: number): void => {
  it.effect(
    "says what it needs in whole numbers",
    () =>
      Effect.gen(function* () {
        const { reader } = yield* ChainWorld
        for (const value of [reader.requiredConfirmations, reader.reorgDepthMax, reader.pollIntervalMs]) {
          assert.isTrue(Number.isSafeInteger(value) && value >= 0, String(value))
        }
        assert.isAbove(reader.requiredConfirmations, 0)
        assert.isAbove(reader.pollIntervalMs, 0)
      }),
    timeoutMs
  )

  it.effect(
    "gives as its tip the header that stands at that height",
    () =>
      Effect.gen(function* () {
        const { mine, reader } = yield* ChainWorld
        yield* mine(2)
        const { confirmed, latest } = yield* reader.tip
        assert.deepStrictEqual(yield* reader.header(latest.number), latest)
        assert.isAtLeast(confirmed, -1)
        assert.isAtMost(confirmed, latest.number)
      }),
    timeoutMs
  )

  it.effect(
    "sees new blocks at its tip",
    () =>
      Effect.gen(function* () {
        const { mine, reader } = yield* ChainWorld
        const before = yield* reader.tip
        yield* mine(3)
        const after = yield* reader.tip
        assert.isAtLeast(after.latest.number, before.latest.number + 3)
        assert.isAtLeast(after.confirmed, before.confirmed)
      }),
    timeoutMs
  )

  it.effect(
    "gives headers that name their parents and do not go back in time",
    () =>
      Effect.gen(function* () {
        const { mine } = yield* ChainWorld
        yield* mine(5)
        const headers = yield* lastHeaders
        for (const [index, header] of headers.entries()) {
          // The first block of a private chain may have no time.
          assert.isTrue(Number.isSafeInteger(header.time) && (header.time > 0 || header.number === 0))
          const child = headers[index + 1]
          if (child === undefined) continue
          assert.strictEqual(child.number, header.number + 1)
          assert.strictEqual(child.parentHash, header.hash)
          assert.isAtLeast(child.time, header.time)
        }
      }),
    timeoutMs
  )

  it.effect(
    "calls a header absent that is above the tip, or at no height",
    () =>
      Effect.gen(function* () {
        const { reader } = yield* ChainWorld
        const { latest } = yield* reader.tip
        for (const number of [latest.number + 1_000, -1, 0.5]) {
          const error = yield* Effect.flip(reader.header(number))
          assert.strictEqual(error.reason, "absent")
          assert.strictEqual(error.network, reader.network)
        }
      }),
    timeoutMs
  )

  it.effect(
    "finds the lowest block that is not before a time",
    () =>
      Effect.gen(function* () {
        const { mine, reader } = yield* ChainWorld
        yield* mine(5)
        const headers = yield* lastHeaders
        // The first may have lower neighbours with the same time.
        const [first, ...others] = headers
        assert.isDefined(first)
        assert.isAbove(headers.at(-1)?.time ?? 0, first.time, "the world must let time pass between blocks")
        for (const { time } of others.filter((header) => header.time > first.time)) {
          for (const sought of [time - 1, time]) {
            const expected = headers.find((header) => header.time >= sought)
            if (sought > first.time) assert.deepStrictEqual(yield* reader.blockAt(sought), expected)
          }
        }
      }),
    timeoutMs
  )

  it.effect(
    "finds the first block for a time before all, and the latest for a time after all",
    () =>
      Effect.gen(function* () {
        const { reader } = yield* ChainWorld
        const { latest } = yield* reader.tip
        const lowest = yield* reader.blockAt(0)
        assert.strictEqual(yield* Effect.isFailure(reader.header(lowest.number - 1)), true)
        const highest = yield* reader.blockAt(latest.time + 3_600_000)
        assert.deepStrictEqual(yield* reader.header(highest.number), highest)
        // A network that makes blocks by itself may have made one since.
        assert.isAtLeast(highest.number, latest.number)
        assert.isAtMost(highest.number, (yield* reader.tip).latest.number)
      }),
    timeoutMs
  )
}
