import type { ChainReader } from "@bursar/core/port/Chain"
import { makeFakeChain } from "@bursar/testkit/fixtures/FakeChain"
import { transferTo } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, Metric } from "effect"
import { TestClock } from "effect/testing"
import { poolReader } from "../../src/nodes/poolReader.ts"

const wallet = "0x00000000000000000000000000000000000000A0"

/** Two nodes of two operators on one chain, of which the second says of balances what `lie` makes of them. */
const world = (lie: (units: bigint) => bigint = (units) => units) => {
  const nodes = [makeFakeChain({ network: "ethereum" }), makeFakeChain({ network: "ethereum" })] as const
  const [ours, theirs] = nodes
  const lying: ChainReader = {
    ...theirs.reader,
    holdings: (addresses, at) =>
      Effect.map(theirs.reader.holdings(addresses, at), ({ block, held }) => ({
        block,
        held: held.map((one) => ({ ...one, units: lie(one.units) }))
      }))
  }
  const paid = transferTo(wallet, 500n)
  for (const node of nodes) node.mine([paid])
  return { ours, theirs, reader: poolReader([ours.reader, lying], { operators: ["ours", "provider"] }) }
}

const isAlarm = (event: string) => event === "network.balance_disputed"

const listening = (events: Array<string>) =>
  Layer.mergeAll(
    Logger.layer([Logger.make(({ message }) => void events.push(String(message)))]),
    Layer.succeed(Metric.MetricRegistry, new Map())
  )

const heldBy = (reader: ChainReader) =>
  Effect.map(reader.holdings([wallet]), ({ held }) => held.find(({ contract }) => contract === null)?.units)

/** Asks until there is an answer, or none is waited for any more. */
const asked = (reader: ChainReader) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.result(heldBy(reader)))
    yield* TestClock.adjust("2 minutes")
    return yield* Fiber.join(fiber)
  })

describe("what addresses hold, by nodes of two operators", () => {
  it.effect("is told where both say the same of the same block", () =>
    Effect.gen(function* () {
      const events: Array<string> = []
      const { ours, reader, theirs } = world()
      assert.strictEqual(yield* Effect.provide(heldBy(reader), listening(events)), 500n)
      assert.deepStrictEqual([ours.asked("holdings"), theirs.asked("holdings")], [1, 1])
      assert.deepStrictEqual(events.filter(isAlarm), [])
    })
  )

  for (const [what, lie] of [
    ["less than there is", () => 0n],
    ["more than there is", (units: bigint) => units + 1n]
  ] as const) {
    it.effect(`is an alarm and no answer where one says ${what}`, () =>
      Effect.gen(function* () {
        const events: Array<string> = []
        const { reader } = world(lie)
        const error = yield* Effect.provide(Effect.flip(heldBy(reader)), listening(events))
        assert.strictEqual(error._tag, "ChainError")
        assert.match(error.message, /contradict each other as of block 1/u)
        assert.lengthOf(events.filter(isAlarm), 1)
      })
    )
  }

  it.effect(
    "is not told by one alone: where the other is silent, or has not that block, there is no answer and no alarm",
    () =>
      Effect.gen(function* () {
        const events: Array<string> = []
        const { ours, reader, theirs } = world()
        theirs.fail("unreachable", 1_000, "holdings")
        const silent = yield* Effect.provide(asked(reader), listening(events))
        assert.strictEqual(silent._tag, "Failure")
        theirs.heal()
        ours.mineMany(1)
        const behind = yield* Effect.provide(asked(reader), listening(events))
        assert.strictEqual(behind._tag, "Failure")
        assert.deepStrictEqual(events.filter(isAlarm), [])
        theirs.mineMany(1)
        assert.strictEqual((yield* asked(reader))._tag, "Success")
      })
  )
})
