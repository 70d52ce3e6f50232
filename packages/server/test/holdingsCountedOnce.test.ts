import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { ChainError } from "@bursar/core/port/Chain"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import type { Positions } from "@bursar/core/reconciliation/Positions"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { readHoldings } from "../src/solvency/readHoldings.ts"

const wallet = "0x00000000000000000000000000000000000000A0"
const issued = "0x00000000000000000000000000000000000000B0"
const blockOf = (number: number) => ({ number, hash: `h${number}`, parentHash: `h${number - 1}`, timestamp: 0 })

const cases = [
  ["each answer comes", "unreachable", 0],
  ["an answer gets lost", "unreachable", 1],
  ["answers get lost until the final block is given up", "unreachable", 4],
  ["the node has forgotten the final block", "absent", 1]
] as const

for (const [name, reason, failures] of cases)
  it.effect(`coin that is paid from a wallet to an issued address is counted once where ${name}`, () =>
    Effect.gen(function* () {
      let left: number = failures
      const heldAt = (address: string, number: number) =>
        (address === wallet) === number < 110 ? [{ address, contract: null, units: 5n }] : []
      // what the reading does not use is left out
      const adapter = {
        traits: { name: "bsc" },
        reader: {
          network: "bsc",
          pollIntervalMs: 1_000,
          holdingsMax: 1,
          reorgDepthMax: 100,
          tip: Effect.succeed({ confirmed: 100, latest: blockOf(120) }),
          header: (number: number) => Effect.succeed(blockOf(number)),
          holdings: (page: ReadonlyArray<string>, at = blockOf(120)) =>
            Effect.suspend(() => {
              if (page[0] === issued && left-- > 0)
                return Effect.fail(new ChainError({ network: "bsc", reason, doing: "read balances", detail: "" }))
              return Effect.succeed({ block: at, held: page.flatMap((address) => heldAt(address, at.number)) })
            })
        }
      } as unknown as NetworkAdapter
      // the same
      const positions = {
        chain: () => Effect.succeed({ deposits: [], transfers: [], transactions: [] })
      } as unknown as Positions["Service"]
      const fiber = yield* Effect.forkChild(readHoldings(adapter, [wallet, issued], defaultCurrencies, positions))
      yield* TestClock.adjust("1 minute")
      const found = yield* Fiber.join(fiber)
      const total = [...found.values()].flatMap(({ assets }) => assets).reduce((sum, { units }) => sum + units, 0n)
      assert.strictEqual(total, 5n)
    })
  )
