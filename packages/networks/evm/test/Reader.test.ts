import { makeEvmReader, TransferIndex } from "@bursar/evm"
import type { EvmReaderOptions } from "@bursar/evm"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { getAddress } from "viem"
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
import { body, never, refuse, scriptedNode } from "./support/ScriptedNode.ts"

const sender = addressOf(0xf00d)
const receiver = addressOf(0xaaa1)

/** A node that says `says` of the block with the hash that `blockOf` gives. */
const nodeSaying = (says: BlockSays, options: Partial<EvmReaderOptions> = {}) =>
  Effect.tap(scriptedNode("ethereum", { contracts: [token], ...options }), (node) =>
    Effect.sync(() => serve(node, says))
  )

/** Two transactions, both with a log, the second with coin of a contract. */
const usual = () =>
  blockOf([
    { logs: [transferLog(sender, receiver, 5n)] },
    {
      tx: { value: quantity(9) },
      logs: [transferLog(sender, receiver, 6n), transferLog(sender, receiver, 7n)],
      trace: { calls: [{ type: "CALL", from: addressOf(0xcafe), to: receiver, value: "0x9" }] }
    }
  ])

const withAt = (list: ReadonlyArray<Json>, index: number, change: Json): ReadonlyArray<Json> =>
  list.map((item, at) => (at === index ? { ...item, ...change } : item))

const isToken = (transferIndex: number): boolean => transferIndex < TransferIndex.native
const isSent = (transferIndex: number): boolean => transferIndex < TransferIndex.internalFirst

const logsAt = (receipts: ReadonlyArray<Json>, index: number): ReadonlyArray<Json> =>
  receipts[index]?.["logs"] as ReadonlyArray<Json>

describe("EvmReader, reading a block", () => {
  it.live("reads what adds up", () =>
    Effect.gen(function* () {
      const says = usual()
      const { chain } = yield* nodeSaying(says)
      const block = yield* chain.block(says.block.hash)
      assert.deepStrictEqual(
        block.transfers.map(({ transferIndex, units }) => [transferIndex, units]),
        [
          [0, 5n],
          [0, 6n],
          [1, 7n],
          [TransferIndex.native, 9n],
          [TransferIndex.internalFirst, 9n]
        ]
      )
      assert.strictEqual(block.time, 1_700_000_000_000)
    })
  )

  const lies: ReadonlyArray<readonly [string, (says: BlockSays) => BlockSays]> = [
    ["a block of another hash", (says) => ({ ...says, block: { ...says.block, hash: hashOf(0xbad) } })],
    ["a block without a number", (says) => ({ ...says, block: { ...says.block, number: null } })],
    ["a block without a parent", (says) => ({ ...says, block: { ...says.block, parentHash: undefined } })],
    [
      "a block whose transactions are hashes",
      (says) => ({
        ...says,
        block: { ...says.block, transactions: says.block.transactions.map((tx) => tx["hash"] as never) }
      })
    ],
    [
      "a block whose transactions were left out",
      (says) => ({ ...says, block: { ...says.block, transactions: [] }, receipts: [], traces: [] })
    ],
    [
      "a transaction of another block",
      (says) => ({
        ...says,
        block: { ...says.block, transactions: withAt(says.block.transactions, 1, { blockHash: hashOf(1) }) }
      })
    ],
    [
      "a transaction at another height",
      (says) => ({
        ...says,
        block: { ...says.block, transactions: withAt(says.block.transactions, 1, { blockNumber: "0x8" }) }
      })
    ],
    [
      "a transaction at another place",
      (says) => ({
        ...says,
        block: { ...says.block, transactions: withAt(says.block.transactions, 1, { transactionIndex: "0x2" }) }
      })
    ],
    [
      "a transaction twice",
      (says) => ({
        ...says,
        block: { ...says.block, transactions: withAt(says.block.transactions, 1, { hash: hashOf(0xa000) }) }
      })
    ],
    ["no receipts", (says) => ({ ...says, receipts: [] })],
    ["a receipt too few", (says) => ({ ...says, receipts: says.receipts.slice(0, 1) })],
    ["receipts in another order", (says) => ({ ...says, receipts: says.receipts.toReversed() })],
    [
      "a receipt of another block",
      (says) => ({ ...says, receipts: withAt(says.receipts, 0, { blockHash: hashOf(1) }) })
    ],
    [
      "a receipt of another transaction",
      (says) => ({ ...says, receipts: withAt(says.receipts, 0, { transactionHash: hashOf(1) }) })
    ],
    ["a receipt without a status", (says) => ({ ...says, receipts: withAt(says.receipts, 0, { status: undefined }) })],
    ["a failed receipt with logs", (says) => ({ ...says, receipts: withAt(says.receipts, 0, { status: "0x0" }) })],
    ["receipts that are null", (says) => ({ ...says, receipts: withAt(says.receipts, 0, { logs: null }) })],
    [
      "receipts whose logs were left out",
      (says) => ({ ...says, receipts: says.receipts.map((receipt) => ({ ...receipt, logs: [] })) })
    ],
    [
      "a receipt whose last log was left out",
      (says) => ({ ...says, receipts: withAt(says.receipts, 1, { logs: logsAt(says.receipts, 1).slice(0, 1) }) })
    ],
    [
      "a receipt whose first log was left out, where the others give the same bloom",
      (says) => ({ ...says, receipts: withAt(says.receipts, 1, { logs: logsAt(says.receipts, 1).slice(1) }) })
    ],
    [
      "a log that was removed",
      (says) => ({
        ...says,
        receipts: withAt(says.receipts, 0, { logs: withAt(logsAt(says.receipts, 0), 0, { removed: true }) })
      })
    ],
    [
      "a log of another block",
      (says) => ({
        ...says,
        receipts: withAt(says.receipts, 0, { logs: withAt(logsAt(says.receipts, 0), 0, { blockHash: hashOf(1) }) })
      })
    ],
    [
      "a log of another transaction",
      (says) => ({
        ...says,
        receipts: withAt(says.receipts, 0, {
          logs: withAt(logsAt(says.receipts, 0), 0, { transactionHash: hashOf(1) })
        })
      })
    ],
    [
      "a log of another contract than the bloom filter",
      (says) => ({
        ...says,
        receipts: withAt(says.receipts, 0, { logs: withAt(logsAt(says.receipts, 0), 0, { address: addressOf(5) }) })
      })
    ],
    [
      "an amount that is not the one that was hashed",
      (says) => ({
        ...says,
        receipts: withAt(says.receipts, 0, { logs: withAt(logsAt(says.receipts, 0), 0, { data: hashOf(6) }) })
      })
    ],
    [
      "a status that is not the one that was hashed",
      () => {
        const failed = blockOf([{ receipt: { status: "0x0" } }])
        return { ...failed, receipts: withAt(failed.receipts, 0, { status: "0x1" }), traces: blockOf([{}]).traces }
      }
    ],
    [
      "a bloom filter of the block that its logs do not give",
      (says) => ({ ...says, block: { ...says.block, logsBloom: `0x${"f".repeat(512)}` } })
    ],
    ["a trace too few", (says) => ({ ...says, traces: says.traces.slice(0, 1) })],
    ["no traces", (says) => ({ ...says, traces: [] })],
    ["a trace of another transaction", (says) => ({ ...says, traces: withAt(says.traces, 1, { txHash: hashOf(1) }) })]
  ]

  for (const [name, lie] of lies) {
    it.live(`does not believe ${name}`, () =>
      Effect.gen(function* () {
        const says = usual()
        const { chain } = yield* nodeSaying(lie(says))
        assert.strictEqual((yield* Effect.flip(chain.block(says.block.hash))).reason, "inconsistent")
      })
    )
  }

  const unreadable: ReadonlyArray<
    readonly [string, (says: BlockSays) => BlockSays, (transferIndex: number) => boolean]
  > = [
    [
      "a value that is no quantity",
      (says) => ({ ...says, block: { ...says.block, transactions: withAt(says.block.transactions, 1, { value: 9 }) } }),
      isToken
    ],
    [
      "a receiver that is no address",
      (says) => ({
        ...says,
        block: { ...says.block, transactions: withAt(says.block.transactions, 1, { to: "0x12" }) }
      }),
      isToken
    ],
    ["a trace without a result", (says) => ({ ...says, traces: withAt(says.traces, 1, { result: null }) }), isSent],
    [
      "a trace that the node could not make in time",
      (says) => ({ ...says, traces: withAt(says.traces, 1, { result: undefined, error: "execution timeout" }) }),
      isSent
    ],
    [
      "a trace of a call that another sent",
      (says) => ({
        ...says,
        traces: withAt(says.traces, 1, { result: { ...(says.traces[1]?.["result"] as Json), from: receiver } })
      }),
      // The transaction and its trace differ in who paid, so what it paid is not believed either.
      isToken
    ],
    [
      "a trace of a kind that nobody knows",
      (says) => ({
        ...says,
        traces: withAt(says.traces, 1, {
          result: {
            ...(says.traces[1]?.["result"] as Json),
            calls: [{ type: "TELEPORT", from: sender, to: receiver, value: "0x9" }]
          }
        })
      }),
      isSent
    ],
    [
      "a trace whose inner call has no receiver",
      (says) => ({
        ...says,
        traces: withAt(says.traces, 1, {
          result: { ...(says.traces[1]?.["result"] as Json), calls: [{ type: "CALL", from: sender, value: "0x9" }] }
        })
      }),
      isSent
    ],
    [
      "a trace that failed where the receipt succeeded",
      (says) => ({
        ...says,
        traces: withAt(says.traces, 1, { result: { ...(says.traces[1]?.["result"] as Json), error: "out of gas" } })
      }),
      isSent
    ]
  ]

  for (const [name, change, isRead] of unreadable) {
    it.live(`reads everything else of a block with ${name}, and names the transaction`, () =>
      Effect.gen(function* () {
        const says = usual()
        const whole = (yield* (yield* nodeSaying(says)).chain.block(says.block.hash)).transfers
        const { chain } = yield* nodeSaying(change(says))
        const block = yield* chain.block(says.block.hash)
        const readable = whole.filter(({ transferIndex, txHash }) => txHash === hashOf(0xa000) || isRead(transferIndex))
        assert.isBelow(readable.length, whole.length)
        assert.deepStrictEqual(block.transfers, readable)
        assert.deepStrictEqual(
          block.unread?.map(({ gains, txHash }) => [txHash, gains]),
          [[hashOf(0xa001), null]]
        )
        assert.notStrictEqual(block.unread?.[0]?.reason ?? "", "")
      })
    )
  }

  it.live("does not believe an empty block whose bloom filter is not empty", () =>
    Effect.gen(function* () {
      const says = blockOf([])
      const node = yield* nodeSaying(says)
      assert.deepStrictEqual((yield* node.chain.block(says.block.hash)).transfers, [])
      serve(node, { ...says, block: { ...says.block, logsBloom: usual().block["logsBloom"] } })
      assert.strictEqual((yield* Effect.flip(node.chain.block(says.block.hash))).reason, "inconsistent")
    })
  )

  for (const method of ["eth_getBlockByHash", "eth_getBlockReceipts"]) {
    it.live(`says absent when ${method} answers null`, () =>
      Effect.gen(function* () {
        const says = usual()
        const node = yield* nodeSaying(says)
        node.answer(method, () => null)
        assert.strictEqual((yield* Effect.flip(node.chain.block(says.block.hash))).reason, "absent")
      })
    )
  }

  it.live("says absent when the node that traces does not know the block yet", () =>
    Effect.gen(function* () {
      const says = usual()
      const node = yield* nodeSaying(says)
      node.answer("debug_traceBlockByHash", () => refuse(-32000, "block 0x…b10c not found"))
      assert.strictEqual((yield* Effect.flip(node.chain.block(says.block.hash))).reason, "absent")
    })
  )

  it.live("believes no traces of single transactions when the block was replaced meanwhile", () =>
    Effect.gen(function* () {
      const says = usual()
      const node = yield* nodeSaying(says)
      for (const method of ["debug_traceBlockByHash", "trace_block"]) node.answer(method, () => refuse(-32601, "no"))
      node.answer("debug_traceTransaction", ([hash, options]) =>
        (options as Json)["tracer"] === "callTracer"
          ? says.traces.find((trace) => trace["txHash"] === hash)?.["result"]
          : refuse(-32000, "tracer not found")
      )
      assert.strictEqual((yield* node.chain.block(says.block.hash)).transfers.length, 5)
      node.answer("eth_getBlockByNumber", () => ({ ...says.block, hash: hashOf(0xbad) }))
      assert.strictEqual((yield* Effect.flip(node.chain.block(says.block.hash))).reason, "inconsistent")
    })
  )

  it.live("believes no trace_block of another block, or with a call left out", () =>
    Effect.gen(function* () {
      const says = blockOf([{}])
      const node = yield* nodeSaying(says)
      const entry = {
        type: "call",
        action: { callType: "call", from: sender, to: addressOf(0xcafe), value: "0x0" },
        traceAddress: [],
        transactionHash: hashOf(0xa000),
        blockHash: says.block.hash
      }
      const inner = { ...entry, action: { ...entry.action, to: receiver, value: "0x4" }, traceAddress: [0] }
      node.answer("debug_traceBlockByHash", () => refuse(-32601, "no"))
      node.answer("trace_block", () => [
        entry,
        inner,
        { type: "reward", action: {}, traceAddress: [], blockHash: says.block.hash }
      ])
      assert.deepStrictEqual(
        (yield* node.chain.block(says.block.hash)).transfers.map(({ units }) => units),
        [4n]
      )
      for (const entries of [[{ ...entry, blockHash: hashOf(1) }], []]) {
        node.answer("trace_block", () => entries)
        assert.strictEqual((yield* Effect.flip(node.chain.block(says.block.hash))).reason, "inconsistent")
      }
      for (const entries of [
        [inner],
        [entry, entry],
        [entry, { ...inner, type: "teleport" }],
        [entry, { ...inner, traceAddress: [1] }],
        [entry, { ...inner, traceAddress: [0, 0] }]
      ]) {
        node.answer("trace_block", () => entries)
        const { transfers, unread } = yield* node.chain.block(says.block.hash)
        assert.deepStrictEqual(transfers, [])
        assert.deepStrictEqual(
          unread?.map(({ txHash }) => txHash),
          [hashOf(0xa000)]
        )
      }
    })
  )

  it.live("does not take a delegatecall or callcode in trace_block for a payment", () =>
    Effect.gen(function* () {
      const says = blockOf([{}])
      const node = yield* nodeSaying(says)
      const entry = (callType: string, value: string, traceAddress: ReadonlyArray<number>) => ({
        type: "call",
        action: { callType, from: sender, to: addressOf(0xcafe), value },
        traceAddress,
        transactionHash: hashOf(0xa000),
        blockHash: says.block.hash
      })
      node.answer("debug_traceBlockByHash", () => refuse(-32601, "no"))
      node.answer("trace_block", () => [
        entry("call", "0x0", []),
        entry("delegatecall", "0x5", [0]),
        entry("callcode", "0x6", [1]),
        entry("call", "0x7", [2]),
        { ...entry("call", "0x8", [3]), error: "Reverted" },
        entry("call", "0x9", [3, 0])
      ])
      assert.deepStrictEqual(
        (yield* node.chain.block(says.block.hash)).transfers.map(({ transferIndex, units }) => [transferIndex, units]),
        [[TransferIndex.internalFirst, 7n]]
      )
    })
  )

  it.live("traces a transaction with calldata though it used no more gas than a plain send", () =>
    Effect.gen(function* () {
      const says = blockOf([
        {
          receipt: { gasUsed: quantity(21_000) },
          trace: { calls: [{ type: "CALL", from: addressOf(0xcafe), to: receiver, value: "0x3" }] }
        }
      ])
      const { chain } = yield* nodeSaying(says)
      assert.deepStrictEqual(
        (yield* chain.block(says.block.hash)).transfers.map(({ units }) => units),
        [3n]
      )
    })
  )

  it.live("asks a node without eth_getBlockReceipts for the receipts one by one, a few at a time", () =>
    Effect.gen(function* () {
      const says = blockOf(Array.from({ length: 30 }, () => ({ logs: [transferLog(sender, receiver, 5n)] })))
      const node = yield* nodeSaying(says, { callsMax: 3 })
      node.answer("eth_getBlockReceipts", () =>
        refuse(-32601, "the method eth_getBlockReceipts does not exist/is not available")
      )
      node.answer("eth_getTransactionReceipt", ([hash]) =>
        says.receipts.find((receipt) => receipt["transactionHash"] === hash)
      )
      node.inGroups("eth_getTransactionReceipt", 3)
      assert.strictEqual((yield* node.chain.block(says.block.hash)).transfers.length, 30)
      assert.strictEqual(node.asked("eth_getTransactionReceipt"), 30)
      assert.strictEqual(node.busiest(), 3)
      node.answer("eth_getTransactionReceipt", () => null)
      assert.strictEqual((yield* Effect.flip(node.chain.block(says.block.hash))).reason, "absent")
    })
  )

  for (const [code, words] of [
    [-32601, "the method eth_getBlockReceipts is not available now"],
    [-32602, "invalid params"]
  ] as const) {
    it.effect(`asks for the receipts of a block again a minute after the node said ${code}`, () =>
      Effect.gen(function* () {
        const says = blockOf([{}, {}, {}])
        const node = yield* nodeSaying(says)
        const read = node.chain.block(says.block.hash)
        node.answer("eth_getTransactionReceipt", ([hash]) =>
          says.receipts.find((receipt) => receipt["transactionHash"] === hash)
        )
        node.answer("eth_getBlockReceipts", () => refuse(code, words))
        yield* read
        serve(node, says)
        yield* TestClock.adjust("59 seconds")
        yield* read
        assert.deepStrictEqual([node.asked("eth_getBlockReceipts"), node.asked("eth_getTransactionReceipt")], [1, 6])
        yield* TestClock.adjust("1 second")
        yield* read
        assert.deepStrictEqual([node.asked("eth_getBlockReceipts"), node.asked("eth_getTransactionReceipt")], [2, 6])
      })
    )
  }

  it.live("takes a Transfer only with three topics and one word of data", () =>
    Effect.gen(function* () {
      const log = transferLog(sender, receiver, 5n)
      const topics = log["topics"] as ReadonlyArray<string>
      const says = blockOf([
        {
          logs: [
            // An NFT: the fourth topic is its id.
            { ...log, topics: [...topics, hashOf(1)], data: "0x" },
            { ...log, topics: [...topics, hashOf(1)] },
            { ...log, topics: topics.slice(0, 1), data: hashOf(5) },
            { ...log, data: `${hashOf(5)}${"0".repeat(64)}` },
            { ...log, data: "0x05" },
            { ...log, topics: [hashOf(3), topicOf(sender), topicOf(receiver)] },
            log
          ]
        }
      ])
      const { chain } = yield* nodeSaying(says)
      assert.deepStrictEqual(
        (yield* chain.block(says.block.hash)).transfers.map(({ transferIndex }) => transferIndex),
        [6]
      )
    })
  )

  it.live("reads a transaction that is a thousand calls deep", () =>
    Effect.gen(function* () {
      let frame: Json = { type: "CALL", from: sender, to: receiver, value: "0x7" }
      for (let depth = 0; depth < 1_023; depth++)
        frame = { type: "DELEGATECALL", from: sender, to: sender, value: "0x1", calls: [frame] }
      const says = blockOf([{ trace: { calls: [frame] } }])
      const { chain } = yield* nodeSaying(says)
      assert.deepStrictEqual(
        (yield* chain.block(says.block.hash)).transfers.map(({ units }) => units),
        [7n]
      )
    })
  )

  it.live("does not fall over a trace that is deeper than any can be", () =>
    Effect.gen(function* () {
      const says = blockOf([{}])
      const node = yield* nodeSaying(says)
      const open = `{"type":"CALL","from":"${sender}","to":"${receiver}","value":"0x1","calls":[`
      const deep = `${open.repeat(5_000)}${"]}".repeat(5_000)}`
      node.answer("debug_traceBlockByHash", () => body(`{"jsonrpc":"2.0","id":1,"result":[{"result":${deep}}]}`))
      const { transfers, unread } = yield* node.chain.block(says.block.hash)
      assert.deepStrictEqual(transfers, [])
      assert.strictEqual(unread?.length, 1)
    })
  )
})

describe("EvmReader, without the root of the receipts", () => {
  it.live("reads a block whose receipts are hashed in a way that it does not know, when told so", () =>
    Effect.gen(function* () {
      const honest = usual()
      const says = { ...honest, block: { ...honest.block, receiptsRoot: hashOf(1) } }
      const strict = yield* nodeSaying(says)
      const error = yield* Effect.flip(strict.chain.block(says.block.hash))
      assert.include(error.message, "root")
      const { chain } = yield* nodeSaying(says, { receiptsRoot: "off" })
      assert.strictEqual((yield* chain.block(says.block.hash)).transfers.length, 5)
    })
  )
})

describe("EvmReader, transactions that no user sends", () => {
  it.live(
    "counts what a deposit of base sends on, and what it leaves with its sender, which a failure does not undo",
    () =>
      Effect.gen(function* () {
        const deposit = {
          type: "0x7e",
          sourceHash: hashOf(3),
          mint: "0x64",
          value: "0x64",
          isSystemTx: false,
          input: "0x"
        }
        const says = blockOf([
          // The first of every block: facts of Ethereum, without value.
          { tx: { type: "0x7e", mint: null, sourceHash: hashOf(1), input: "0x098999be" } },
          { tx: { ...deposit, to: receiver }, receipt: { gasUsed: quantity(21_000), depositNonce: "0x1" } },
          { tx: { ...deposit, to: receiver }, receipt: { status: "0x0" } },
          // Minted to the sender, who keeps it.
          { tx: { ...deposit, to: receiver, value: "0x0" } },
          // Of which the sender had a part before.
          { tx: { ...deposit, to: receiver, value: "0x65" } }
        ])
        const node = yield* scriptedNode("base")
        serve(node, says)
        assert.deepStrictEqual(
          (yield* node.chain.block(says.block.hash)).transfers.map(({ from, transferIndex, txHash, units }) => [
            txHash,
            transferIndex,
            units,
            from
          ]),
          [
            [hashOf(0xa001), TransferIndex.native, 100n, null],
            [hashOf(0xa002), TransferIndex.minted, 100n, null],
            [hashOf(0xa003), TransferIndex.minted, 100n, null],
            [hashOf(0xa004), TransferIndex.native, 101n, getAddress(sender)]
          ]
        )
      })
  )

  it.live("counts once what somebody bridges to the own address on base", () =>
    Effect.gen(function* () {
      // what the bridge on Ethereum makes of coin that is sent to it: from and to are one
      const own = { type: "0x7e", sourceHash: hashOf(3), mint: "0x64", input: "0x", from: sender, to: sender }
      const receipt = { gasUsed: quantity(21_000), depositNonce: "0x1" }
      for (const [value, status] of [
        ["0x64", "0x1"],
        ["0x3c", "0x1"],
        ["0x65", "0x1"],
        ["0x64", "0x0"]
      ] as const) {
        const says = blockOf([{ tx: { ...own, value }, receipt: { ...receipt, status } }])
        const node = yield* scriptedNode("base")
        serve(node, says)
        const { transfers } = yield* node.chain.block(says.block.hash)
        const arrived = transfers.filter(({ from, to }) => from !== to)
        assert.deepStrictEqual(
          arrived.map(({ from, to, transferIndex, units }) => [transferIndex, units, from, to]),
          [[TransferIndex.minted, 100n, null, getAddress(sender)]],
          `${value} ${status}`
        )
      }
    })
  )

  it.live("reads the transactions with which a validator of bsc ends its block", () =>
    Effect.gen(function* () {
      const system = {
        to: "0x0000000000000000000000000000000000001000",
        gasPrice: "0x0",
        type: "0x0",
        input: "0xf340fa01"
      }
      const says = blockOf([{ tx: { value: "0x5", to: receiver } }, { tx: { ...system, value: "0x1234" } }])
      const node = yield* scriptedNode("bsc")
      serve(node, says)
      assert.deepStrictEqual(
        (yield* node.chain.block(says.block.hash)).transfers.map(({ units }) => units),
        [5n, 0x1234n]
      )
    })
  )
})

describe("EvmReader, the tip", () => {
  const header = (number: number): Json => ({
    hash: hashOf(number + 1),
    parentHash: hashOf(number),
    number: quantity(number),
    timestamp: quantity(1_700_000_000 + number)
  })
  const tipOf = (latest: number, finalized: unknown, network: "ethereum" | "bsc" | "base" = "ethereum") =>
    Effect.gen(function* () {
      const node = yield* scriptedNode(network)
      node.answer("eth_getBlockByNumber", ([tag]) =>
        tag === "latest" ? header(latest) : tag === "finalized" ? finalized : header(Number(tag))
      )
      return yield* node.chain.tip
    })

  it.live("counts to the finalized block", () =>
    Effect.gen(function* () {
      for (const finalized of [930, 998, 999, 1_000])
        assert.strictEqual((yield* tipOf(1_000, header(finalized))).confirmed, finalized)
    })
  )

  it.live("counts to no finalized block of another fork, which a balancer may tell of", () =>
    Effect.gen(function* () {
      for (const finalized of [930, 999, 1_000]) {
        const { message, reason } = yield* Effect.flip(tipOf(1_000, { ...header(finalized), hash: hashOf(7_777) }))
        assert.strictEqual(reason, "inconsistent")
        assert.include(message, `block ${finalized}`)
      }
    })
  )

  it.live("counts as before where a node ahead tells of a finalized block above the latest", () =>
    Effect.gen(function* () {
      const node = yield* scriptedNode("ethereum")
      let finalized = 1_005
      node.answer("eth_getBlockByNumber", ([tag]) =>
        header(tag === "latest" ? 1_000 : tag === "finalized" ? finalized : Number(tag))
      )
      const confirmed = Effect.map(node.chain.tip, (tip) => tip.confirmed)
      assert.strictEqual(yield* confirmed, -1)
      finalized = 930
      assert.strictEqual(yield* confirmed, 930)
      finalized = 1_005
      assert.strictEqual(yield* confirmed, 930)
    })
  )

  it.live("counts nothing where the latest block is below all that is known as final", () =>
    Effect.gen(function* () {
      const node = yield* scriptedNode("bsc")
      let [latest, finalized] = [1_000, 998]
      node.answer("eth_getBlockByNumber", ([tag]) =>
        header(tag === "latest" ? latest : tag === "finalized" ? finalized : Number(tag))
      )
      const confirmed = Effect.map(node.chain.tip, (tip) => tip.confirmed)
      assert.strictEqual(yield* confirmed, 998)
      ;[latest, finalized] = [997, 999]
      assert.strictEqual(yield* confirmed, -1)
      latest = 1_001
      assert.strictEqual(yield* confirmed, 999)
    })
  )

  for (const [name, isAhead] of [
    ["still tells of the same finalized block", false],
    ["tells of a finalized block above the latest", true]
  ] as const)
    it.live(
      `counts to no finalized block of before once a node of a fork from below it answers, and another ${name}`,
      () =>
        Effect.gen(function* () {
          const node = yield* scriptedNode("ethereum")
          let isForked = false
          const ofFork = (number: number): Json => ({
            ...header(number),
            hash: hashOf(number + 5_001),
            parentHash: hashOf(number + 5_000)
          })
          node.answer("eth_getBlockByNumber", ([tag]) => {
            if (tag === "finalized") return header(isForked && isAhead ? 1_005 : 930)
            const number = tag === "latest" ? 1_000 : Number(tag)
            return isForked ? ofFork(number) : header(number)
          })
          assert.strictEqual((yield* node.chain.tip).confirmed, 930)
          isForked = true
          const { message, reason } = yield* Effect.flip(node.chain.tip)
          assert.strictEqual(reason, "inconsistent")
          assert.include(message, "block 930")
          isForked = false
          assert.strictEqual((yield* node.chain.tip).confirmed, 930)
        })
    )

  for (const [name, answer] of [
    ["knows no finalized block", null],
    ["does not know the tag", refuse(-32602, "invalid argument 0: hex string without 0x prefix")],
    ["has not seen finality", refuse(-32000, "finalized block not found")],
    ["is before finality", refuse(-39001, "Unknown block")]
  ] as const) {
    it.live(`confirms nothing and says why where the node ${name}`, () =>
      Effect.gen(function* () {
        for (const network of ["ethereum", "bsc", "base"] as const) {
          const tip = yield* tipOf(1_000, answer, network)
          assert.strictEqual(tip.latest.number, 1_000)
          assert.strictEqual(tip.confirmed, -1)
          assert.include(tip.unconfirmable, "no finalized block")
        }
      })
    )
  }

  for (const [name, answer] of [
    ["refuses for another reason", refuse(-32005, "daily request count exceeded")],
    ["answers garbage for finality", { number: "soon" }],
    ["answers with a gateway's page", body("<html>502</html>", 502, "text/html")]
  ] as const) {
    it.live(`fails where the node ${name}`, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* Effect.flip(tipOf(1_000, answer)))._tag, "ChainError")
      })
    )
  }

  it.live("asks for no finality when the depth is configured", () =>
    Effect.gen(function* () {
      const node = yield* scriptedNode("ethereum", { confirmations: 12 })
      node.answer("eth_getBlockByNumber", ([tag]) => (tag === "latest" ? header(1_000) : refuse(-32000, "not asked")))
      assert.strictEqual((yield* node.chain.tip).confirmed, 989)
      assert.strictEqual(node.asked("eth_getBlockByNumber"), 1)
    })
  )

  it.live("does not believe a header of another height", () =>
    Effect.gen(function* () {
      const node = yield* scriptedNode("ethereum")
      node.answer("eth_getBlockByNumber", () => header(8))
      assert.strictEqual((yield* Effect.flip(node.chain.header(9))).reason, "inconsistent")
    })
  )

  it.live("finds a block among twenty million by its time in few calls", () =>
    Effect.gen(function* () {
      const node = yield* scriptedNode("ethereum")
      const height = 20_000_000
      // Irregular as ethereum is: a genesis at time 0, then 15 seconds, then 12.
      const timeOf = (number: number) =>
        number === 0
          ? 0
          : number < 15_000_000
            ? 1_438_000_000 + number * 15
            : 1_663_000_000 + (number - 15_000_000) * 12
      node.answer("eth_getBlockByNumber", ([tag]) => {
        const number = tag === "latest" ? height : Number(tag)
        return { ...header(number), timestamp: quantity(timeOf(number)) }
      })
      for (const sought of [19_999_999, 19_990_123, 15_000_000, 14_999_999, 9_876_543, 1]) {
        const before = node.asked("eth_getBlockByNumber")
        assert.strictEqual((yield* node.chain.blockAt(timeOf(sought) * 1000)).number, sought)
        assert.strictEqual((yield* node.chain.blockAt(timeOf(sought) * 1000 - 1)).number, sought)
        assert.isBelow(node.asked("eth_getBlockByNumber") - before, 80)
      }
      assert.strictEqual((yield* node.chain.blockAt(-5)).number, 0)
    })
  )
})

describe("EvmReader, a node that does not speak JSON-RPC", () => {
  const asks = (says: unknown, options: Partial<EvmReaderOptions> = {}) =>
    Effect.gen(function* () {
      const node = yield* scriptedNode("ethereum", options)
      node.answer("eth_getBlockByNumber", () => says)
      return yield* Effect.flip(node.chain.header(7))
    })

  for (const [name, says, reason] of [
    ["a page of HTML", body("<html>hello</html>", 200, "text/html"), "unreachable"],
    ["HTML that claims to be JSON", body("<html>hello</html>"), "unreachable"],
    ["truncated JSON", body('{"jsonrpc":"2.0","id":1,"result":{"hash":"0x'), "unreachable"],
    ["nothing", body(""), "unreachable"],
    ["null for the whole answer", body("null"), "unreachable"],
    ["an array", body("[]"), "inconsistent"],
    ["a number", body("7"), "inconsistent"],
    ["no result", body('{"jsonrpc":"2.0","id":1}'), "inconsistent"],
    ["a result of another type", "0x7", "inconsistent"],
    ["an empty object", {}, "inconsistent"],
    ["an error without a code", body('{"error":"go away"}'), "unreachable"],
    ["HTTP 429", body("slow down", 429, "text/plain"), "unreachable"],
    [
      "HTTP 500 with a JSON-RPC error",
      body('{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal"}}', 500),
      "unreachable"
    ]
  ] as const) {
    it.live(`says ${reason} to ${name}`, () =>
      Effect.gen(function* () {
        const error = yield* asks(says)
        assert.deepStrictEqual([error._tag, error.reason], ["ChainError", reason])
      })
    )
  }

  it.live("says unreachable when no answer comes in time", () =>
    Effect.gen(function* () {
      const error = yield* asks(never, { timeoutMs: 50 })
      assert.strictEqual(error.reason, "unreachable")
      assert.include(error.detail, "50 ms")
    })
  )

  it.live("keeps the key in the node's address out of every error", () =>
    Effect.gen(function* () {
      const node = yield* scriptedNode("ethereum")
      const secrets = ["s3cr3t-key-of-path", "s3cr3t-key-of-query", "s3cr3t-password"]
      const url = `${node.url.replace("//", `//user:${secrets[2]}@`)}/v2/${secrets[0]}?apikey=${secrets[1]}`
      const chain = makeEvmReader({ network: "ethereum", rpcUrl: Redacted.make(url), contracts: [] })
      for (const says of [
        refuse(-32000, `bad key ${secrets.join()} in ${url}`),
        body(`no ${secrets.join()}`, 401, "text/plain"),
        body("<html>")
      ]) {
        node.answer("eth_chainId", () => says)
        const error = yield* Effect.flip(chain.verifyChain)
        for (const secret of secrets) assert.notInclude(JSON.stringify(error) + error.message, secret)
      }
    })
  )
})

describe("EvmReader, its configuration", () => {
  const make = (options: Partial<EvmReaderOptions>) => () =>
    makeEvmReader({ network: "ethereum", rpcUrl: Redacted.make("http://127.0.0.1"), contracts: [], ...options })

  it("refuses what cannot be meant", () => {
    assert.throws(make({ confirmations: 0 }), /confirmations/u)
    assert.throws(make({ confirmations: 1.5 }), /confirmations/u)
    assert.throws(make({ timeoutMs: -1 }), /timeoutMs/u)
    assert.throws(make({ contracts: ["0x12"] }), /token contract/u)
    assert.throws(make({ rpcUrl: Redacted.make("ftp://s3cr3t") }), /^(?!.*s3cr3t).*http/u)
    assert.throws(make({ rpcUrl: Redacted.make("http://") }), /http/u)
  })

  it("remembers the blocks of a time, so more of them where they are quick", () => {
    assert.strictEqual(make({ network: "base" })().reorgDepthMax, 2_700)
    assert.strictEqual(make({ network: "base", blockTimeMs: 200 })().reorgDepthMax, 27_000)
  })

  it("remembers at least as many blocks as it waits for", () => {
    assert.strictEqual(make({ confirmations: 5_000 })().reorgDepthMax, 5_000)
    assert.strictEqual(make({})().requiredConfirmations, 65)
    assert.strictEqual(make({ network: "bsc" })().requiredConfirmations, 180)
  })
})
