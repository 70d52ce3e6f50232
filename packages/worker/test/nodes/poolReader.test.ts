import type { ChainReader, Mempool, Transfer } from "@bursar/core/port/Chain"
import { type FakeChain, makeFakeChain } from "@bursar/testkit/fixtures/FakeChain"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { defaultNodeLimits } from "../../src/nodes/NodePool.ts"
import { poolMempool } from "../../src/nodes/poolMempool.ts"
import { noticeOf } from "../../src/watch/Problem.ts"
import { poolReader } from "../../src/nodes/poolReader.ts"
import { defaultWatchLimits } from "../../src/watch/WatchLimits.ts"

/** Nodes that agree: the same moves make the same blocks. */
const world = (count: number) => {
  const nodes = Array.from({ length: count }, () => makeFakeChain({ network: "ethereum" }))
  const [first, ...others] = nodes.map(({ reader }) => reader)
  // There is one at least.
  const readers = [first as ChainReader, ...others] as const
  return {
    // The tests name nodes that there are.
    node: (index: number) => nodes[index] as FakeChain,
    mine: (blocks: number) => {
      for (const node of nodes) node.mineMany(blocks)
    },
    reader: poolReader(readers)
  }
}

const many = 1_000
const later = TestClock.adjust(defaultNodeLimits.probeEveryMs)

describe("a reader over several nodes", () => {
  it.effect("asks its node alone where there is one", () =>
    Effect.gen(function* () {
      const { mine, node, reader } = world(1)
      mine(3)
      assert.deepStrictEqual(yield* reader.tip, yield* node(0).reader.tip)
      assert.deepStrictEqual(yield* reader.header(2), yield* node(0).reader.header(2))
      node(0).fail("unreachable")
      assert.strictEqual((yield* Effect.flip(reader.header(2))).detail, "a scripted fault")
    })
  )

  const nodesOf = ({ nodes }: ChainReader) => nodes ?? Effect.die("nobody counts")
  const briefly = (reader: ChainReader) =>
    Effect.map(nodesOf(reader), (all) =>
      all.map(({ calls, failed, isAsked, node, problem }) => [node, isAsked, calls, failed, problem])
    )

  it.effect("counts what each node was asked and failed to answer, and forgets it after an hour", () =>
    Effect.gen(function* () {
      const { mine, node, reader } = world(2)
      mine(5)
      assert.deepStrictEqual(yield* briefly(reader), [
        ["node 1 of 2", true, 0, 0, null],
        ["node 2 of 2", false, 0, 0, null]
      ])
      yield* reader.tip
      node(0).fail("inconsistent", many)
      yield* reader.tip
      // that the second does not know a block is an answer; the first is asked again where it stands
      yield* Effect.flip(reader.header(99))
      const [first, second] = yield* nodesOf(reader)
      assert.deepStrictEqual([first?.isAsked, second?.isAsked], [false, true])
      assert.deepStrictEqual([first?.failed, first?.problem, second?.failed], [2, "a scripted fault", 0])
      assert.strictEqual(first?.problemAt, 0)
      assert.isTrue((second?.calls ?? 0) >= 2)
      yield* TestClock.adjust(3_600_000)
      assert.deepStrictEqual(yield* briefly(reader), [
        ["node 1 of 2", false, 0, 0, null],
        ["node 2 of 2", true, 0, 0, null]
      ])
    })
  )

  for (const reason of ["unreachable", "inconsistent"] as const) {
    it.effect(`turns to the next when the first is ${reason}, says so, and returns once it is well`, () =>
      Effect.gen(function* () {
        const { mine, node, reader } = world(2)
        mine(5)
        assert.strictEqual((yield* reader.tip).nodes, undefined)
        node(0).fail(reason, many)
        mine(1)
        const told = yield* reader.tip
        assert.strictEqual(told.latest.number, 6)
        assert.match(told.nodes ?? "", /^node 2 of 2 is asked; node 1 of 2 (?:does not answer|contradicts itself)$/u)
        assert.include(noticeOf(told, 0) ?? "", "node 2 of 2 is asked")
        const block = node(1).latest()
        assert.deepStrictEqual(yield* reader.block(block.hash), block)
        node(0).heal()
        yield* later
        assert.strictEqual((yield* reader.tip).nodes, undefined)
        const asked = node(1).asked("header")
        yield* reader.header(3)
        assert.strictEqual(node(1).asked("header"), asked)
      })
    )
  }

  it.effect("never tells a height below one that it told, and fails rather than do so", () =>
    Effect.gen(function* () {
      const { mine, node, reader } = world(2)
      mine(9)
      assert.strictEqual((yield* reader.tip).latest.number, 9)
      node(0).setNodeLag(3)
      assert.strictEqual((yield* reader.tip).latest.number, 9)
      node(1).setNodeLag(1)
      const error = yield* Effect.flip(reader.tip)
      assert.strictEqual(error.reason, "unreachable")
      assert.match(error.detail, /node 2 of 2: it is at block 8, behind block 9/u)
      assert.match(error.detail, /node 1 of 2: it is at block 6, behind block 9/u)
      mine(3)
      assert.strictEqual((yield* reader.tip).latest.number, 11)
    })
  )

  it.effect("does not use a node that came back until it has caught up", () =>
    Effect.gen(function* () {
      const { mine, node, reader } = world(2)
      yield* reader.tip
      node(0).fail("unreachable", many)
      mine(4)
      yield* reader.tip
      node(0).heal()
      node(0).setNodeLag(2)
      yield* later
      const behind = yield* reader.tip
      assert.strictEqual(behind.latest.number, 4)
      assert.strictEqual(behind.nodes, "node 2 of 2 is asked; node 1 of 2 is behind")
      node(0).setNodeLag(0)
      yield* later
      assert.strictEqual((yield* reader.tip).nodes, undefined)
    })
  )

  it.effect("reads a block whole from the next node where the first cannot serve it, and keeps to that one", () =>
    Effect.gen(function* () {
      const { mine, node, reader } = world(2)
      mine(3)
      yield* reader.tip
      node(0).fail("unreachable", many, "block")
      const block = node(1).latest()
      assert.deepStrictEqual(yield* reader.block(block.hash), block)
      const asked = node(0).asked("block")
      assert.deepStrictEqual(yield* reader.block(block.hash), block)
      assert.strictEqual(node(0).asked("block"), asked)
    })
  )

  it.effect("reads an old block from a node that is behind, and asks it for nothing else", () =>
    Effect.gen(function* () {
      const { mine, node, reader } = world(2)
      mine(8)
      yield* reader.tip
      const old = node(0).blocks()[2]
      assert.isDefined(old)
      node(0).fail("unreachable", many)
      node(1).setNodeLag(4)
      assert.deepStrictEqual(yield* reader.block(old.hash), old)
      assert.strictEqual((yield* Effect.flip(reader.header(2))).reason, "unreachable")
    })
  )

  it.effect("asks each node once where none can answer, and says what each said", () =>
    Effect.gen(function* () {
      const { node, reader } = world(3)
      yield* reader.tip
      const before = [0, 1, 2].map((index) => node(index).asked("tip"))
      for (const index of [0, 1, 2]) node(index).fail("unreachable", many)
      const error = yield* Effect.flip(reader.tip)
      assert.deepStrictEqual(
        [0, 1, 2].map((index) => node(index).asked("tip") - (before[index] ?? 0)),
        [1, 1, 1]
      )
      for (const name of ["node 1 of 3", "node 2 of 3", "node 3 of 3"]) assert.include(error.detail, name)
    })
  )

  it.effect("finds nothing that no node has", () =>
    Effect.gen(function* () {
      const { reader } = world(2)
      yield* reader.tip
      assert.strictEqual((yield* Effect.flip(reader.block("0xnothing"))).reason, "absent")
      assert.strictEqual((yield* Effect.flip(reader.header(99))).reason, "absent")
    })
  )
})

describe("a mempool over several nodes", () => {
  const transfer = (txHash: string): Transfer => ({
    txHash,
    transferIndex: 0,
    contract: null,
    units: 1n,
    from: null,
    to: "a"
  })

  it.effect("tells what is gone at the node that was turned to, once all that waits there was read", () =>
    Effect.gen(function* () {
      let current = 0
      const says = (...answers: ReadonlyArray<readonly [hashes: ReadonlyArray<string>, unread: number]>): Mempool => {
        const left = [...answers]
        return {
          changes: Effect.sync(() => {
            const [hashes, unread] = left.shift() ?? [[], 0]
            return { transfers: hashes.map(transfer), gone: [], unread }
          })
        }
      }
      const mempool = poolMempool(
        () => current,
        [() => says([["a", "b", "c"], 0]), () => says([["b"], 1], [["c", "d"], 0], [[], 0])]
      )
      const told = Effect.map(mempool.changes, ({ gone, transfers }) => [transfers.map(({ txHash }) => txHash), gone])
      assert.deepStrictEqual(yield* told, [["a", "b", "c"], []])
      current = 1
      assert.deepStrictEqual(yield* told, [["b"], []])
      assert.deepStrictEqual(yield* told, [["c", "d"], ["a"]])
      assert.deepStrictEqual(yield* told, [[], []])
    })
  )
})

describe("a reader over several nodes of which some do not keep the state of a block", () => {
  /** Two nodes; those of these places keep no state. */
  const without = (...places: ReadonlyArray<number>) => {
    const nodes = [makeFakeChain({ network: "ethereum" }), makeFakeChain({ network: "ethereum" })] as const
    for (const node of nodes) node.mineMany(3)
    const readerOf = ({ reader }: FakeChain, place: number): ChainReader => ({
      ...reader,
      block: (hash) =>
        Effect.map(reader.block(hash), (block) =>
          places.includes(place)
            ? { ...block, isStateGone: true, unread: [{ txHash: hash, reason: `node ${place}`, gains: null }] }
            : block
        )
    })
    return { nodes, hash: nodes[0].latest().hash, reader: poolReader([readerOf(nodes[0], 0), readerOf(nodes[1], 1)]) }
  }

  it.effect("reads the block from one that does", () =>
    Effect.gen(function* () {
      const { hash, nodes, reader } = without(0)
      assert.deepStrictEqual(yield* reader.block(hash), yield* nodes[1].reader.block(hash))
    })
  )

  const told = (reader: ChainReader, hash: string) =>
    Effect.map(Effect.result(reader.block(hash)), (block) =>
      block._tag === "Success" ? block.success.unread?.[0]?.reason : block.failure.reason
    )

  it.effect("reads what the first can tell where none does", () =>
    Effect.gen(function* () {
      const { hash, reader } = without(0, 1)
      assert.strictEqual(yield* told(reader, hash), "node 0")
    })
  )

  it.effect("waits for one that does not answer now, and for ten minutes at most", () =>
    Effect.gen(function* () {
      const { hash, nodes, reader } = without(0)
      const { hash: earlier } = yield* nodes[0].reader.header(1)
      nodes[1].fail("unreachable", many)
      const asks = Effect.gen(function* () {
        for (let minute = 0; minute < 10; minute += 1) {
          assert.strictEqual(yield* told(reader, hash), "unreachable", `minute ${minute}`)
          yield* TestClock.adjust(60_000)
        }
      })
      yield* asks
      assert.strictEqual(yield* told(reader, hash), "node 0")
      assert.strictEqual(yield* told(reader, earlier), "node 0", "the next block does not wait again")
      nodes[1].heal()
      assert.deepStrictEqual(yield* reader.block(hash), yield* nodes[1].reader.block(hash))
      nodes[1].fail("unreachable", many)
      yield* asks
      assert.strictEqual(yield* told(reader, hash), "node 0")
      // nobody asked for long: whether it still does not answer is not known
      yield* TestClock.adjust(3_600_000)
      assert.strictEqual(yield* told(reader, hash), "unreachable")
    })
  )

  it.effect("waits no longer where it is asked ever more rarely, as a search of the past asks", () =>
    Effect.gen(function* () {
      const { hash, nodes, reader } = without(0)
      nodes[1].fail("unreachable", many)
      const { backfillRetryLongestMs, retryFirstMs } = defaultWatchLimits
      const answers: Array<string | undefined> = []
      for (let wait = retryFirstMs; answers.length < 20; wait = Math.min(2 * wait, backfillRetryLongestMs)) {
        answers.push(yield* told(reader, hash))
        yield* TestClock.adjust(wait)
      }
      assert.strictEqual(answers[0], "unreachable")
      assert.deepStrictEqual(
        answers.slice(-5),
        Array.from({ length: 5 }, () => "node 0")
      )
    })
  )

  it.effect("fails where none answers", () =>
    Effect.gen(function* () {
      const { hash, nodes, reader } = without(0, 1)
      for (const node of nodes) node.fail("unreachable", many)
      assert.strictEqual((yield* Effect.flip(reader.block(hash))).reason, "unreachable")
    })
  )
})
