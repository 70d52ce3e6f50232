import type { BlockRef } from "@bursar/core/port/Chain"
import { blockAt, blockBetween } from "@bursar/network-kit/blockAt"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"

/** A chain whose blocks come after so many milliseconds each. */
const chainOf = (gaps: ReadonlyArray<number>): ReadonlyArray<BlockRef> => {
  let time = 1_000_000
  return gaps.map((gap, number) => {
    time += gap
    return { number, hash: `h${number}`, parentHash: `h${number - 1}`, time }
  })
}

const gaps = fc.array(fc.oneof(fc.nat(3), fc.nat(100_000)), { minLength: 1, maxLength: 80 })

const lowest = (chain: ReadonlyArray<BlockRef>, time: number): BlockRef | undefined =>
  chain.find((block) => block.time >= time) ?? chain.at(-1)

describe("the search for a block by its time", () => {
  it("finds the lowest block that is not before the time, whatever the blocks' distances", () => {
    fc.assert(
      fc.property(gaps, fc.nat(8_000_000), fc.integer({ min: 1, max: 50_000 }), (distances, after, blockTimeMs) => {
        const chain = chainOf(distances)
        const [oldest, latest] = [chain[0], chain.at(-1)]
        if (oldest === undefined || latest === undefined) return
        const time = 900_000 + after
        const header = (number: number) => {
          const found = chain[number]
          return found === undefined ? Effect.die(new Error(`asked for ${number}`)) : Effect.succeed(found)
        }
        const expected = lowest(chain, time)
        assert.deepStrictEqual(Effect.runSync(blockAt(header, { latest, blockTimeMs }, time)), expected)
        assert.deepStrictEqual(Effect.runSync(blockBetween(header, { oldest, latest }, time)), expected)
      })
    )
  })
})
