import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import type { Positions } from "@bursar/core/reconciliation/Positions"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { readHoldings } from "../src/solvency/readHoldings.ts"

const address = "0x00000000000000000000000000000000000000A0"
const blockMs = 450

const height = Effect.map(Clock.currentTimeMillis, (ms) => 1_000 + Math.floor(ms / blockMs))
const blockOf = (number: number) => ({ number, hash: `h${number}`, parentHash: `h${number - 1}`, timestamp: 0 })

interface Busy {
  /** How long the books take to answer. */
  readonly queryMs?: number
  /** By how many blocks the server's node is behind the worker's. */
  readonly lag?: number
  /** Whether the node tells of the past. */
  readonly tellsPast?: boolean
}

/** How many addresses are read of a network on which a payout is booked in each block. */
const readOf = ({ lag = 0, queryMs = 0, tellsPast = true }: Busy) =>
  Effect.gen(function* () {
    const node = Effect.map(height, (now) => blockOf(now - lag))
    // what the reading does not use is left out
    const adapter = {
      traits: { name: "bsc" },
      reader: {
        network: "bsc",
        pollIntervalMs: 1_000,
        holdingsMax: 100,
        reorgDepthMax: 100,
        tip: Effect.map(node, (latest) => ({ confirmed: tellsPast ? latest.number : -1, latest })),
        header: (number: number) => Effect.succeed(blockOf(number)),
        holdings: (_: unknown, at?: ReturnType<typeof blockOf>) =>
          Effect.map(node, (newest) => ({ block: at ?? newest, held: [{ address, contract: null, units: 5n }] }))
      }
    } as unknown as NetworkAdapter
    const positions = {
      chain: () =>
        Effect.andThen(
          Effect.sleep(queryMs),
          Effect.map(height, (blockNumber) => ({
            deposits: [],
            transfers: [],
            transactions: [{ transaction: { phase: "FINAL", blockNumber } }]
          }))
        )
      // the same: nothing else of them is asked for
    } as unknown as Positions["Service"]
    const fiber = yield* Effect.forkChild(readHoldings(adapter, [address], defaultCurrencies, positions))
    for (let step = 0; step < 300; step += 1) yield* TestClock.adjust("50 millis")
    return (yield* Fiber.join(fiber)).size
  })

describe("the reserves of a network on which something is booked in each block", () => {
  const cases: ReadonlyArray<readonly [string, Busy]> = [
    ["the books answer at once", {}],
    ["the books answer after its next block, from one and the same node", { queryMs: 500 }],
    ["the server's node is always a block behind the worker's", { lag: 1 }],
    ["it is, and tells of no past", { lag: 1, tellsPast: false }]
  ]
  for (const [name, busy] of cases)
    it.effect(`are read where ${name}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* readOf(busy), 1)
      })
    )

  it.effect("are not read where the server's node stays far behind", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* readOf({ lag: 50 }), 0)
    })
  )
})
