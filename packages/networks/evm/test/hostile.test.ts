import { TransferIndex } from "@bursar/evm"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { traceBytesMax } from "../src/internal/read/traceBounds.ts"
import {
  addressOf,
  blockOf,
  type BlockSays,
  hashOf,
  type Json,
  quantity,
  serve,
  token,
  topicOf,
  transferLog
} from "./support/blocks.ts"
import { body, refuse, scriptedNode, type ScriptedNode } from "./support/ScriptedNode.ts"

const sender = addressOf(0xf00d)
const contract = addressOf(0xcafe)
const receiver = addressOf(0xaaa1)
const other = addressOf(0xaaa2)

const tracerOf = (options: unknown): string => String((options as Json)["tracer"])
const isOwn = (options: unknown): boolean => tracerOf(options).includes("moves")

type Found = Effect.Success<ReturnType<typeof found>>

/** What the tracer of moves says of a call from `sender` to `contract`. */
const moved = (moves: ReadonlyArray<string>, more: Json = {}): Json => ({
  from: sender,
  to: contract,
  value: "0",
  failed: false,
  impossible: false,
  moves,
  ...more
})

/** What a node says of the call on which the tracer is tried: a payment, a call that lacks coin, one undone, a contract destroyed. */
const soundAnswer = (call: Json): Json => {
  const [created, child] = [addressOf(0xc1), addressOf(0xc2)]
  const payer = String(call["from"])
  const [paid, heir] = [`${payer.slice(0, -1)}2`, `${payer.slice(0, -1)}3`]
  const moves = [`${created} ${paid} 1`, `${created} ${child} 5`, `${child} ${heir} 5`]
  return { from: payer, to: created, value: "a", failed: false, impossible: false, moves }
}

/** A node that runs the tracer of moves, and tells of balances before and after. */
const serveMoves = (
  node: ScriptedNode,
  says: BlockSays,
  entries: ReadonlyArray<Json>,
  diffs: Readonly<Record<string, unknown>> = {}
) => {
  serve(node, says)
  node.answer("debug_traceCall", ([call]) => soundAnswer(call as Json))
  node.answer("debug_traceBlockByHash", ([, options]) =>
    isOwn(options) ? entries : refuse(-32000, "only this tracer is asked for")
  )
  node.answer("debug_traceTransaction", ([hash, options]) =>
    tracerOf(options) === "prestateTracer" ? diffs[String(hash)] : refuse(-32000, "not asked")
  )
}

const found = (node: ScriptedNode, { block }: BlockSays) =>
  Effect.map(node.chain.block(block.hash), ({ transfers, unread = [] }) => ({
    moved: transfers.map(({ to, transferIndex, units }) => [to.toLowerCase(), transferIndex, units] as const),
    unread
  }))

describe("a block with a transaction that nobody foresaw", () => {
  it.live(
    "reads the others beside a deposit of an OP stack that failed before it ran, in whichever way it is traced",
    () =>
      Effect.gen(function* () {
        const says = blockOf([
          {
            tx: { type: "0x7e", value: quantity(10n ** 24n), mint: null, sourceHash: hashOf(1) },
            receipt: { status: "0x0", depositNonce: "0x1", depositReceiptVersion: "0x1" },
            // As op-geth says it: no receiver, no value.
            trace: { type: "STOP", to: undefined, value: undefined, error: "failed deposit transaction" }
          },
          { trace: { calls: [{ type: "CALL", from: contract, to: receiver, value: "0x9" }] } }
        ])
        const node = yield* scriptedNode("base", { contracts: [token] })
        const expected: Found = { moved: [[receiver, TransferIndex.internalFirst, 9n]], unread: [] }
        serve(node, says)
        assert.deepStrictEqual(yield* found(node, says), expected)
        const entry = { type: "call", traceAddress: [], transactionHash: hashOf(0xa001), blockHash: says.block.hash }
        const call = { callType: "call", from: sender, to: contract, value: "0x0" }
        node.answer("debug_traceBlockByHash", () => refuse(-32601, "no"))
        node.answer("debug_traceTransaction", () => refuse(-32601, "no"))
        node.answer("trace_block", () => [
          {
            type: "stop",
            transactionHash: hashOf(0xa000),
            blockHash: says.block.hash,
            error: "failed deposit transaction"
          },
          { ...entry, action: call },
          { ...entry, action: { ...call, from: contract, to: receiver, value: "0x9" }, traceAddress: [0] }
        ])
        assert.deepStrictEqual(yield* found(node, says), expected)
      })
  )

  it.live("reads the tokens of a kind that is not known, and tells what balances say of its coin", () =>
    Effect.gen(function* () {
      const says = blockOf([
        {
          // As base's 0x79 is told: without value, receiver and input.
          tx: { type: "0x79", value: undefined, to: undefined, input: undefined },
          logs: [transferLog(sender, receiver, 5n)]
        },
        { logs: [transferLog(sender, other, 6n)] }
      ])
      const node = yield* scriptedNode("base", { contracts: [token] })
      serveMoves(
        node,
        says,
        [moved([]), moved([])].map((result) => ({ result })),
        {
          [hashOf(0xa000)]: {
            pre: { [sender]: { balance: "0x64" }, [receiver]: { balance: "0x1" } },
            post: { [sender]: { balance: "0x32" }, [receiver]: { balance: "0xb" }, [other]: { balance: "0x3" } }
          }
        }
      )
      const { moved: transfers, unread } = yield* found(node, says)
      assert.deepStrictEqual(transfers, [
        [receiver, 0, 5n],
        [other, 0, 6n]
      ])
      assert.strictEqual(unread.length, 1)
      assert.include(unread[0]?.reason, "0x79")
      assert.deepStrictEqual(
        unread[0]?.gains?.map(({ to, units }) => [to.toLowerCase(), units]),
        [
          [receiver, 10n],
          [other, 3n]
        ]
      )
    })
  )

  it.live("credits nothing of a failed transaction of such a kind, but tells what its logs claim", () =>
    Effect.gen(function* () {
      const says = blockOf([
        { tx: { type: "0x79" }, receipt: { status: "0x0" }, logs: [transferLog(sender, receiver, 5n)] },
        { logs: [transferLog(sender, other, 6n)] }
      ])
      const node = yield* scriptedNode("base", { contracts: [token] })
      serveMoves(
        node,
        says,
        [moved([]), moved([])].map((result) => ({ result })),
        {
          [hashOf(0xa000)]: { pre: {}, post: {} }
        }
      )
      const { moved: transfers, unread } = yield* found(node, says)
      assert.deepStrictEqual(transfers, [[other, 0, 6n]])
      assert.deepStrictEqual(
        unread[0]?.gains?.map(({ to, units }) => [to.toLowerCase(), units]),
        [[receiver, 5n]]
      )
    })
  )

  it.live("reads the others where the receipt of such a kind is like no other", () =>
    Effect.gen(function* () {
      const says = blockOf([{ tx: { type: "0x79" } }, { logs: [transferLog(sender, other, 6n)] }])
      const node = yield* scriptedNode("base", { contracts: [token] })
      const [first, ...others] = says.receipts
      // the balances of coin could be compared, which says nothing of tokens
      serveMoves(
        node,
        { ...says, receipts: [{ ...first, status: "0x3", phases: ["0x1", "0x0"] }, ...others] },
        [moved([]), moved([])].map((result) => ({ result })),
        {
          [hashOf(0xa000)]: { pre: { [sender]: { balance: "0x64" } }, post: { [sender]: { balance: "0x32" } } }
        }
      )
      const { moved: transfers, unread } = yield* found(node, says)
      assert.deepStrictEqual(transfers, [[other, 0, 6n]])
      assert.deepStrictEqual(
        unread.map(({ gains, names, txHash }) => [txHash, gains, names !== undefined]),
        [[hashOf(0xa000), null, true]]
      )
    })
  )

  it.live("names the addresses that a transaction may have paid of which nothing tells whom it did", () =>
    Effect.gen(function* () {
      const word = (address: string) => address.slice(2).padStart(64, "0")
      const [argued, logged] = [`0x${"a1".repeat(20)}`, `0x${"b1".repeat(20)}`]
      const number = "9".padStart(64, "0")
      const says = blockOf([
        {
          tx: { input: `0x12345678${word(argued)}${number}${word(receiver)}` },
          logs: [{ address: other, topics: [hashOf(1), topicOf(logged)], data: `0x${number}${word(contract)}` }],
          trace: { from: other }
        }
      ])
      const node = yield* scriptedNode("ethereum", { contracts: [token] })
      serve(node, says)
      const { unread } = yield* found(node, says)
      assert.isNull(unread[0]?.gains)
      // Of forty digits, of which the small numbers of this test are not taken for addresses.
      assert.deepStrictEqual(
        unread[0]?.names?.map((name) => name.toLowerCase()),
        [contract, sender, logged, argued]
      )
    })
  )

  it.live("tells how balances changed in a block: of coin, of pinned tokens, without what stayed", () =>
    Effect.gen(function* () {
      const says = blockOf([{}])
      const node = yield* scriptedNode("ethereum", { contracts: [token] })
      serve(node, says)
      const coin: Readonly<Record<string, string>> = { [`${receiver}0x6`]: "0x5", [`${receiver}0x7`]: "0x9" }
      node.answer("eth_getBalance", ([address, at]) => coin[`${String(address).toLowerCase()}${String(at)}`] ?? "0x2")
      node.answer("eth_call", ([call, at]) => {
        const { data, to } = call as Json
        assert.strictEqual(String(to).toLowerCase(), token)
        return hashOf(String(data).endsWith(other.slice(2)) && at === "0x7" ? 3 : 4)
      })
      const { hash, number, parentHash, time } = yield* node.chain.block(says.block.hash)
      const block = { hash, number, parentHash, time }
      const ask = (at: typeof block) => {
        const { balanceChanges } = node.chain
        assert.isDefined(balanceChanges)
        return balanceChanges(at, [receiver, other])
      }
      assert.deepStrictEqual(
        (yield* ask(block)).map(({ address, contract: of, units }) => [address, of?.toLowerCase() ?? null, units]),
        [
          [receiver, null, 4n],
          [other, token, -1n]
        ]
      )
      const replaced = yield* Effect.flip(ask({ ...block, hash: hashOf(0xdead) }))
      assert.strictEqual(replaced.reason, "inconsistent")
      node.answer("eth_getBalance", () => refuse(-32000, "missing trie node"))
      assert.include((yield* Effect.flip(ask(block))).detail, "missing trie node")
    })
  )

  it.live("reads what moved in a block whose calls are too large to be told, and asks for no calldata", () =>
    Effect.gen(function* () {
      const says = blockOf([{}])
      const node = yield* scriptedNode("bsc")
      serveMoves(node, says, [{ txHash: hashOf(0xa000), result: moved([`${contract} ${receiver} 9`]) }])
      assert.deepStrictEqual(yield* found(node, says), {
        moved: [[receiver, TransferIndex.internalFirst, 9n]],
        unread: []
      })
      assert.strictEqual(node.asked("debug_traceBlockByHash"), 1)
    })
  )

  it.live("gives up one transaction whose trace is larger than is read, and reads the others one by one", () =>
    Effect.gen(function* () {
      const says = blockOf([
        { trace: { calls: [{ type: "CALL", from: contract, to: receiver, value: "0x7" }] } },
        { trace: { calls: [{ type: "CALL", from: contract, to: other, value: "0x9" }] } }
      ])
      const node = yield* scriptedNode("bsc")
      serve(node, says)
      const huge = body(`{"jsonrpc":"2.0","id":1,"result":"${"0".repeat(traceBytesMax)}"}`)
      node.answer("debug_traceBlockByHash", ([, options]) =>
        tracerOf(options) === "callTracer" ? huge : refuse(-32000, "tracer not found")
      )
      node.answer("debug_traceTransaction", ([hash, options]) => {
        if (tracerOf(options) !== "callTracer") return refuse(-32000, "tracer not found")
        return hash === hashOf(0xa000) ? huge : says.traces.find((trace) => trace["txHash"] === hash)?.["result"]
      })
      const { moved: transfers, unread } = yield* found(node, says)
      assert.deepStrictEqual(transfers, [[other, TransferIndex.internalFirst, 9n]])
      assert.deepStrictEqual(
        unread.map(({ gains, txHash }) => [txHash, gains]),
        [[hashOf(0xa000), null]]
      )
      assert.include(unread[0]?.reason, "larger")
    })
  )

  it.live("gives the same payment the same place by clients that list different calls that moved nothing", () =>
    Effect.gen(function* () {
      const pays = (to: string, value: string, more: Json = {}): Json => ({
        type: "CALL",
        from: contract,
        to,
        value,
        ...more
      })
      // geth, Erigon and anvil list a call that asked for more than there was; Nethermind does not.
      const calls = {
        geth: [
          pays(receiver, quantity(10n ** 30n), { error: "insufficient balance for transfer" }),
          pays(receiver, "0x3", { error: "execution reverted" }),
          pays(receiver, "0x4"),
          pays(other, "0x4")
        ],
        nethermind: [pays(receiver, "0x3", { error: "revert" }), pays(receiver, "0x4"), pays(other, "0x4")]
      }
      const expected: Found = {
        moved: [
          [receiver, TransferIndex.internalFirst, 4n],
          [other, TransferIndex.internalFirst + 1, 4n]
        ],
        unread: []
      }
      for (const listed of Object.values(calls)) {
        const says = blockOf([{ trace: { calls: listed } }])
        const node = yield* scriptedNode("ethereum")
        serve(node, says)
        assert.deepStrictEqual(yield* found(node, says), expected)
      }
      const says = blockOf([{}])
      const node = yield* scriptedNode("ethereum")
      serveMoves(node, says, [{ result: moved([`${contract} ${receiver} 4`, `${contract} ${other} 4`]) }])
      assert.deepStrictEqual(yield* found(node, says), expected)
    })
  )

  for (const [name, answer] of [
    ["repeats the call that a SELFDESTRUCT ends", ["c1 c2 5", "c1 c2 5"]],
    ["counts what was undone", ["c1 c3 4", "c1 c2 5", "c2 heir 5"]],
    ["forgets a SELFDESTRUCT", ["c1 c2 5"]]
  ] as const) {
    it.live(`does not ask a node for moves that ${name}`, () =>
      Effect.gen(function* () {
        const says = blockOf([{ trace: { calls: [{ type: "CALL", from: contract, to: receiver, value: "0x9" }] } }])
        const node = yield* scriptedNode("ethereum")
        serve(node, says)
        node.answer("debug_traceCall", ([call]) => {
          const sound = soundAnswer(call as Json)
          const [first] = sound["moves"] as ReadonlyArray<string>
          const named = (text: string) => (text === "heir" ? addressOf(0xdead) : addressOf(Number(`0x${text}`)))
          const moves = answer.map((line) => {
            const [from = "", to = "", units] = line.split(" ")
            return `${named(from)} ${named(to)} ${units}`
          })
          return { ...sound, moves: [first, ...moves] }
        })
        node.answer("debug_traceBlockByHash", ([, options]) =>
          tracerOf(options) === "callTracer" ? says.traces : [{ result: moved([`${contract} ${other} 5`]) }]
        )
        assert.deepStrictEqual((yield* found(node, says)).moved, [[receiver, TransferIndex.internalFirst, 9n]])
      })
    )
  }

  for (const [code, words] of [
    [-32005, "rate limit exceeded"],
    [-32000, "header not found"],
    [429, "Too many requests"]
  ] as const) {
    it.effect(`tries the tracer of moves again for the next block when the node said: ${words}`, () =>
      Effect.gen(function* () {
        const says = blockOf([{}])
        const node = yield* scriptedNode("ethereum")
        serveMoves(node, says, [{ result: moved([`${contract} ${receiver} 4`]) }])
        node.answer("debug_traceBlockByHash", ([, options]) =>
          isOwn(options) ? [{ result: moved([`${contract} ${receiver} 4`]) }] : says.traces
        )
        node.answer("debug_traceCall", () => refuse(code, words))
        assert.deepStrictEqual((yield* found(node, says)).moved, [])
        assert.strictEqual(node.asked("debug_traceCall"), 1)
        node.answer("debug_traceCall", ([call]) => soundAnswer(call as Json))
        const { moved: transfers } = yield* found(node, says)
        assert.deepStrictEqual(transfers, [[receiver, TransferIndex.internalFirst, 4n]])
      })
    )
  }

  it.effect("tries the tracer of moves again a minute after the node said that it runs none", () =>
    Effect.gen(function* () {
      const says = blockOf([{}])
      const node = yield* scriptedNode("ethereum")
      serveMoves(node, says, [])
      node.answer("debug_traceBlockByHash", ([, options]) =>
        isOwn(options) ? [{ result: moved([`${contract} ${receiver} 4`]) }] : says.traces
      )
      node.answer("debug_traceCall", () => refuse(-32602, "invalid params"))
      yield* found(node, says)
      node.answer("debug_traceCall", ([call]) => soundAnswer(call as Json))
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual((yield* found(node, says)).moved, [])
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* found(node, says)).moved.length, 1)
    })
  )

  it.effect("does not try a tracer again that told wrong", () =>
    Effect.gen(function* () {
      const says = blockOf([{}])
      const node = yield* scriptedNode("ethereum")
      serveMoves(node, says, [])
      node.answer("debug_traceBlockByHash", () => says.traces)
      node.answer("debug_traceCall", ([call]) => ({ ...soundAnswer(call as Json), moves: [] }))
      yield* found(node, says)
      yield* TestClock.adjust("1 hour")
      yield* found(node, says)
      assert.strictEqual(node.asked("debug_traceCall"), 1)
    })
  )

  for (const [name, result] of [
    ["a move without a receiver", moved([`${contract} 9`])],
    ["a move of no quantity", moved([`${contract} ${receiver} nine`])],
    ["a failure where the receipt has none", moved([], { failed: true })],
    ["another sender", moved([], { from: receiver })],
    ["calls that cannot be", moved([`${sender} ${contract} 9`], { impossible: true })],
    ["another value", moved([], { value: "1" })]
  ] as const) {
    it.live(`credits nothing on the word of a tracer that tells of ${name}`, () =>
      Effect.gen(function* () {
        const says = blockOf([{}, {}])
        const node = yield* scriptedNode("ethereum")
        serveMoves(node, says, [{ result }, { result: moved([`${contract} ${receiver} 4`]) }])
        const { moved: transfers, unread } = yield* found(node, says)
        assert.deepStrictEqual(transfers, [[receiver, TransferIndex.internalFirst, 4n]])
        assert.deepStrictEqual(
          unread.map(({ txHash }) => txHash),
          [hashOf(0xa000)]
        )
      })
    )
  }
})
