import { assert, describe, it } from "@effect/vitest"
import { Transaction } from "bitcoinjs-lib"
import { Effect, Redacted } from "effect"
import { addressOfScript, makeMempoolReader, type MempoolReaderOptions } from "@bursar/bitcoin"
import { type Answer, type Call, fakeNode, refusal, result } from "../../support/FakeNode.ts"

/** A P2WPKH script of a number. */
const script = (n: number) => Uint8Array.of(0x00, 0x14, ...new Uint8Array(18), n >> 8, n & 0xff)

/** A transaction that pays `n` satoshi, unlike any other. */
const transaction = (n: number) => {
  const made = new Transaction()
  made.addInput(new Uint8Array(32).fill(1), n)
  made.addOutput(script(n), BigInt(n))
  return { txid: made.getId(), hex: made.toHex() }
}

/** A node whose mempool can be changed, and which counts what it is asked. */
const makeNode = (options?: Partial<MempoolReaderOptions>) =>
  Effect.gen(function* () {
    const node = {
      waiting: [] as ReadonlyArray<ReturnType<typeof transaction>>,
      vanished: new Set<string>(),
      loaded: true,
      asked: 0,
      answer: undefined as ((call: Call) => Answer) | undefined
    }
    const { url } = yield* fakeNode((call) => {
      if (node.answer !== undefined) return node.answer(call)
      if (call.method === "getmempoolinfo") return result(call, { loaded: node.loaded, size: node.waiting.length })
      if (call.method === "getrawmempool")
        return result(
          call,
          node.waiting.map(({ txid }) => txid)
        )
      node.asked++
      const found = node.waiting.find(({ txid }) => txid === call.params[0] && !node.vanished.has(txid))
      return found === undefined ? refusal(call, -5, "No such mempool transaction.") : result(call, found.hex)
    })
    const { changes } = makeMempoolReader({ rpcUrl: Redacted.make(url), chain: "regtest", ...options })
    return { node, changes }
  })

const none = { transfers: [], gone: [], unread: 0 }

describe("MempoolReader", () => {
  it.live("gives what waits once, and what left once", () =>
    Effect.gen(function* () {
      const { changes, node } = yield* makeNode()
      const [one, two, three] = [transaction(1), transaction(2), transaction(3)]
      node.waiting = [one, two]
      const to = addressOfScript("regtest", script(1))!
      const first = yield* changes
      assert.deepStrictEqual(first.transfers[0], {
        txHash: one.txid,
        transferIndex: 0,
        contract: null,
        units: 1n,
        from: null,
        to
      })
      assert.deepStrictEqual(
        first.transfers.map(({ txHash }) => txHash),
        [one.txid, two.txid]
      )
      assert.deepStrictEqual(yield* changes, none)
      node.waiting = [two, three]
      const second = yield* changes
      assert.deepStrictEqual(
        second.transfers.map(({ txHash }) => txHash),
        [three.txid]
      )
      assert.deepStrictEqual([second.gone, second.unread], [[one.txid], 0])
      assert.deepStrictEqual(yield* changes, none)
      assert.strictEqual(node.asked, 3)
    })
  )

  it.live("gives a transaction once that the node names twice", () =>
    Effect.gen(function* () {
      const { changes, node } = yield* makeNode()
      const one = transaction(1)
      node.waiting = [one, one]
      assert.lengthOf((yield* changes).transfers, 1)
      assert.strictEqual(node.asked, 1)
    })
  )

  it.live("gives again what comes back", () =>
    Effect.gen(function* () {
      const { changes, node } = yield* makeNode()
      node.waiting = [transaction(1)]
      yield* changes
      node.waiting = []
      yield* changes
      node.waiting = [transaction(1)]
      assert.strictEqual((yield* changes).transfers.length, 1)
    })
  )

  it.live("reads no more than its limit in a call, and the rest in the next ones", () =>
    Effect.gen(function* () {
      const { changes, node } = yield* makeNode({ newTransactionsMax: 150 })
      node.waiting = Array.from({ length: 400 }, (_, n) => transaction(n + 1))
      const calls = [yield* changes, yield* changes, yield* changes, yield* changes]
      assert.deepStrictEqual(
        calls.map(({ transfers, unread }) => [transfers.length, unread]),
        [
          [150, 250],
          [150, 100],
          [100, 0],
          [0, 0]
        ]
      )
      assert.strictEqual(new Set(calls.flatMap(({ transfers }) => transfers.map(({ txHash }) => txHash))).size, 400)
      assert.strictEqual(node.asked, 400)
    })
  )

  it.live("does without a transaction that left between two questions", () =>
    Effect.gen(function* () {
      const { changes, node } = yield* makeNode()
      node.waiting = [transaction(1), transaction(2)]
      node.vanished.add(transaction(1).txid)
      assert.deepStrictEqual(
        (yield* changes).transfers.map(({ units }) => units),
        [2n]
      )
      node.waiting = []
      assert.deepStrictEqual((yield* changes).gone, [transaction(2).txid])
    })
  )

  it.live("forgets nothing when a call fails", () =>
    Effect.gen(function* () {
      const { changes, node } = yield* makeNode()
      node.waiting = [transaction(1)]
      yield* changes
      node.waiting = [transaction(2)]
      for (const answer of [
        (call: Call) => refusal(call, -1, "Work queue depth exceeded"),
        (call: Call) => result(call, null),
        (call: Call) => result(call, "nonsense"),
        () => ({ status: 200, text: "<html>" })
      ]) {
        node.answer = answer
        assert.strictEqual((yield* Effect.flip(changes))._tag, "ChainError")
      }
      node.answer = undefined
      const { gone, transfers } = yield* changes
      assert.deepStrictEqual([gone, transfers.map(({ units }) => units)], [[transaction(1).txid], [2n]])
    })
  )

  it.live("does not take a mempool that is still being loaded for an empty one", () =>
    Effect.gen(function* () {
      const { changes, node } = yield* makeNode()
      node.waiting = [transaction(1)]
      yield* changes
      node.waiting = []
      node.loaded = false
      assert.match((yield* Effect.flip(changes)).detail, /still loading/u)
      node.waiting = [transaction(1)]
      node.loaded = true
      assert.deepStrictEqual(yield* changes, none)
    })
  )

  it.live("does not believe a node that gives other bytes than those of the id", () =>
    Effect.gen(function* () {
      const { changes, node } = yield* makeNode()
      node.waiting = [{ txid: transaction(1).txid, hex: transaction(2).hex }]
      assert.strictEqual((yield* Effect.flip(changes)).reason, "inconsistent")
      node.waiting = [{ txid: transaction(1).txid, hex: "00ff" }]
      assert.strictEqual((yield* Effect.flip(changes)).reason, "inconsistent")
    })
  )
})
