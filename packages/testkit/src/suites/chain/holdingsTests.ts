import type { ChainReader } from "@bursar/core/port/Chain"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { SuiteIt } from "../harness.ts"
import { type ChainFeature, ChainWorld } from "./ChainWorld.ts"

/** So many blocks are enough for every network to tell of what was in the first of them. */
const enoughBlocks = 3

const heldIn = Effect.fnUntraced(function* (reader: ChainReader, address: string, contract: string | null) {
  const { block, held } = yield* reader.holdings([address])
  const found = held.find((one) => one.address === address && one.contract === contract)
  return { block, units: found?.units ?? 0n }
})

/** Mines until what addresses hold is told as of a block of a height or a later one. */
const toldFrom = Effect.fnUntraced(function* (height: number) {
  const { mine, reader } = yield* ChainWorld
  for (let tries = 0; tries < 40 && (yield* reader.holdings([])).block.number < height; tries++)
    yield* mine(enoughBlocks)
})

/** What addresses hold, as of one block. */
export const holdingsTests = (it: SuiteIt<ChainWorld>, timeoutMs: number, has: ReadonlyArray<ChainFeature>): void => {
  it.effect(
    "tells what an address holds as of a block that stands at its height",
    () =>
      Effect.gen(function* () {
        const { address, large, reader, send } = yield* ChainWorld
        assert.isAbove(reader.holdingsMax, 0)
        const [paid, other] = [yield* address, yield* address]
        // an account may have had to be made with something
        const [before, others] = [yield* heldIn(reader, paid, null), yield* heldIn(reader, other, null)]
        const { blockHash } = yield* send(paid, large.coin, null)
        const { number } = yield* reader.block(blockHash)
        yield* toldFrom(number)
        const { block, units } = yield* heldIn(reader, paid, null)
        assert.strictEqual(units - before.units, large.coin)
        assert.isAtLeast(block.number, number)
        assert.deepStrictEqual(yield* reader.header(block.number), block)
        assert.strictEqual((yield* heldIn(reader, other, null)).units, others.units)
      }),
    timeoutMs
  )

  it.effect(
    "tells of an address once, however often it is asked about",
    () =>
      Effect.gen(function* () {
        const { address, reader, send } = yield* ChainWorld
        const [paid, other] = [yield* address, yield* address]
        yield* send(paid, 20_000_000n, null)
        const { held } = yield* reader.holdings([paid, other, paid])
        const told = held.map((one) => `${one.address} ${one.contract}`)
        assert.strictEqual(new Set(told).size, told.length, told.join())
      }),
    timeoutMs
  )

  if (has.includes("token"))
    it.effect(
      "tells what an address holds of each pinned token",
      () =>
        Effect.gen(function* () {
          const { address, anotherToken, large, reader, send, token } = yield* ChainWorld
          const paid = yield* address
          const first = yield* send(paid, large.token, token)
          const { blockHash } = anotherToken === null ? first : yield* send(paid, 1_234_567n, anotherToken)
          const { number } = yield* reader.block(blockHash)
          yield* toldFrom(number)
          assert.strictEqual((yield* heldIn(reader, paid, token)).units, large.token)
          if (anotherToken !== null) assert.strictEqual((yield* heldIn(reader, paid, anotherToken)).units, 1_234_567n)
        }),
      timeoutMs
    )

  it.effect(
    "tells of a block of the past what it held then, or of a newer one by name",
    () =>
      Effect.gen(function* () {
        const { address, reader, send } = yield* ChainWorld
        const paid = yield* address
        const before = yield* heldIn(reader, paid, null)
        yield* send(paid, 20_000_000n, null)
        const { latest } = yield* reader.tip
        yield* send(paid, 30_000_000n, null)
        const { block, held } = yield* reader.holdings([paid], latest)
        const units = held.find(({ contract }) => contract === null)?.units ?? 0n
        if (block.number === latest.number) assert.strictEqual(units - before.units, 20_000_000n)
        else assert.deepStrictEqual(yield* reader.header(block.number), block)
      }),
    timeoutMs
  )
}
