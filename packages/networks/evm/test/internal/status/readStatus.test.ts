import type { SignedAttempt } from "@bursar/core/port/ChainSender"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { transferData } from "../../../src/internal/rpc/tokenCall.ts"
import { hashOf, type Json, quantity, token, transferLog } from "../../support/blocks.ts"
import { body, refuse, type ScriptedNode } from "../../support/ScriptedNode.ts"
import { authorization, from, gwei, order, setup, signed, to } from "../../support/senderNode.ts"

const receiptOf = ({ hash }: SignedAttempt, number: number, change: Json = {}): Json => ({
  transactionHash: hash,
  transactionIndex: "0x0",
  blockHash: hashOf(1_000 + number),
  blockNumber: quantity(number),
  from,
  status: "0x1",
  gasUsed: "0x5208",
  cumulativeGasUsed: "0x5208",
  effectiveGasPrice: quantity(11n * gwei),
  logsBloom: `0x${"0".repeat(512)}`,
  logs: [],
  ...change
})

/** Lets the node have a transaction in a block. */
const mine = (node: ScriptedNode, transaction: SignedAttempt, number: number, change: Json = {}) => {
  node.answer("eth_getTransactionByHash", ([hash]) =>
    hash === transaction.hash ? { hash, from, blockHash: hashOf(1_000 + number) } : null
  )
  node.answer("eth_getTransactionReceipt", ([hash]) =>
    hash === transaction.hash ? receiptOf(transaction, number, change) : null
  )
  node.answer("eth_getTransactionCount", () => "0x6")
}

/** Lets a transaction of this hash stand at nonce 5 in a block, with nothing known of it but that. */
const taken = (node: ScriptedNode, txHash: string, number: number) => {
  const blockHash = hashOf(1_000 + number)
  node.answer("eth_getTransactionCount", ([, tag]) => (tag === "latest" || Number(tag) >= number ? "0x6" : "0x5"))
  node.answer("eth_getBlockByHash", ([hash]) =>
    hash === blockHash
      ? { hash, transactions: [{ hash: txHash, from: from.toLowerCase(), nonce: "0x5", blockHash }] }
      : null
  )
}

const log = (transaction: SignedAttempt, number: number, entry: Json): Json => ({
  ...entry,
  blockHash: hashOf(1_000 + number),
  transactionHash: transaction.hash,
  transactionIndex: "0x0",
  logIndex: "0x0"
})

describe("fate, by the table of proofs", () => {
  const one = signed()
  const two = signed({ maxFeePerGas: 40n * gwei, maxPriorityFeePerGas: 2n * gwei })
  const foreign = hashOf(0xf0e)

  it.live("concludes nothing while a fresh node has not yet indexed its transactions", () =>
    Effect.gen(function* () {
      const { node, sender } = yield* setup()
      mine(node, one, 8)
      for (const method of ["eth_getTransactionByHash", "eth_getTransactionReceipt"]) {
        node.answer(method, () => refuse(-32_000, "transaction indexing is in progress"))
      }
      const error = yield* Effect.flip(sender.status(order, [one]))
      assert.strictEqual(error.reason, "unreachable")
    })
  )

  it.live("waits while the newest block expects the nonce, and says whether a node has it", () =>
    Effect.gen(function* () {
      const { node, sender } = yield* setup()
      assert.deepStrictEqual(yield* sender.status(order, [one, two]), { _tag: "Pending", known: false })
      node.answer("eth_getTransactionByHash", ([hash]) => (hash === two.hash ? { hash, from, blockHash: null } : null))
      assert.deepStrictEqual(yield* sender.status(order, [one, two]), { _tag: "Pending", known: true })
    })
  )

  it.live("rule 2: decides by which hash of the nonce is final, not by the last one", () =>
    Effect.gen(function* () {
      const { node, sender } = yield* setup()
      mine(node, one, 10)
      assert.deepStrictEqual(yield* sender.status(order, [one, two]), {
        _tag: "Final",
        hash: one.hash,
        blockNumber: 10,
        blockTime: 1_700_000_010_000,
        fee: 21_000n * 11n * gwei,
        effect: "done"
      })
    })
  )

  it.live("is included, and no more, above the final block", () =>
    Effect.gen(function* () {
      const { node, sender } = yield* setup()
      mine(node, one, 11)
      assert.deepStrictEqual(yield* sender.status(order, [one]), { _tag: "Included", hash: one.hash, blockNumber: 11 })
    })
  )

  it.live("rule 3: is impossible once another transaction at the nonce is final, and waits until then", () =>
    Effect.gen(function* () {
      const early = yield* setup()
      taken(early.node, foreign, 11)
      assert.deepStrictEqual(yield* early.sender.status(order, [one, two]), { _tag: "Pending", known: false })
      const late = yield* setup()
      taken(late.node, foreign, 10)
      const status = yield* late.sender.status(order, [one, two])
      assert.deepStrictEqual(status._tag === "Invalidated" ? [status.reason, status.by] : status._tag, [
        "replaced_on_chain",
        foreign
      ])
    })
  )

  it.live(
    "is impossible once the account's own authorization has used the nonce, and by nothing that only looks like one",
    () =>
      Effect.gen(function* () {
        const blockHash = hashOf(1_010)
        const statusWith = Effect.fnUntraced(function* (...authorizationList: ReadonlyArray<Json>) {
          const { node, sender } = yield* setup()
          taken(node, foreign, 10)
          const carrying = { hash: foreign, from: to, nonce: "0x5", blockHash, type: "0x4", authorizationList }
          node.answer("eth_getBlockByHash", ([hash]) => ({ hash, transactions: [carrying] }))
          return yield* Effect.result(sender.status(order, [one, two]))
        })
        const status = yield* statusWith(authorization(7, to), authorization(5))
        assert.deepInclude(Result.isSuccess(status) ? status.success : status.failure, {
          _tag: "Invalidated",
          reason: "replaced_on_chain",
          by: foreign
        })
        for (const [what, other] of Object.entries({
          "of another nonce": authorization(4),
          "of another account": authorization(5, to),
          "that was changed": { ...authorization(6), nonce: "0x5" },
          "without a signature": { ...authorization(5), r: null },
          "of no curve": { ...authorization(5), r: `0x${"f".repeat(64)}` }
        }))
          assert.isTrue(Result.isFailure(yield* statusWith(other)), what)
      })
  )

  it.live(
    "is impossible by the first of several transactions of a block that carried the account's authorization",
    () =>
      Effect.gen(function* () {
        const blockHash = hashOf(1_010)
        const { node, sender } = yield* setup()
        taken(node, foreign, 10)
        const authorizationList = [authorization(5)]
        const carrying = { hash: foreign, from: to, nonce: "0x5", blockHash, type: "0x4", authorizationList }
        const copy = { ...carrying, hash: hashOf(0xf0f), nonce: "0x6" }
        node.answer("eth_getBlockByHash", () => ({ hash: blockHash, transactions: [carrying, copy] }))
        assert.deepInclude(yield* sender.status(order, [one, two]), {
          _tag: "Invalidated",
          reason: "replaced_on_chain",
          by: foreign
        })
      })
  )

  it.live("is not told where a block has several transactions of the account at the nonce", () =>
    Effect.gen(function* () {
      const blockHash = hashOf(1_010)
      const { node, sender } = yield* setup()
      taken(node, foreign, 10)
      const at = { hash: foreign, from, nonce: "0x5", blockHash }
      node.answer("eth_getBlockByHash", () => ({ hash: blockHash, transactions: [at, { ...at, hash: hashOf(0xf0f) }] }))
      assert.isTrue(Result.isFailure(yield* Effect.result(sender.status(order, [one, two]))))
    })
  )

  it.live("finds its own transaction by the nonce where the node does not know the hash", () =>
    Effect.gen(function* () {
      const { node, sender } = yield* setup()
      taken(node, two.hash, 4)
      node.answer("eth_getTransactionReceipt", ([hash]) => (hash === two.hash ? receiptOf(two, 4) : null))
      const status = yield* sender.status(order, [one, two])
      assert.strictEqual(status._tag === "Final" ? status.hash : status._tag, two.hash)
    })
  )

  it.live("looks a foreign transaction up once, and again when its block was replaced", () =>
    Effect.gen(function* () {
      const { node, sender } = yield* setup()
      taken(node, foreign, 9)
      yield* sender.status(order, [one])
      const asked = node.asked("eth_getTransactionCount")
      assert.strictEqual((yield* sender.status(order, [one]))._tag, "Invalidated")
      assert.strictEqual(node.asked("eth_getTransactionCount"), asked + 1)
      // Another block 9, in which the nonce is not used, and none after it either.
      node.answer("eth_getBlockByNumber", ([tag]) => {
        const number = tag === "latest" ? 20 : tag === "finalized" ? 10 : Number(tag)
        return {
          number: quantity(number),
          hash: hashOf(2_000 + number),
          parentHash: hashOf(1_999 + number),
          timestamp: "0x1"
        }
      })
      node.answer("eth_getTransactionCount", () => "0x5")
      assert.strictEqual((yield* sender.status(order, [one]))._tag, "Pending")
    })
  )

  it.live(
    "is not final by the finality of another node once a node of a fork from below the finalized block answers",
    () =>
      Effect.gen(function* () {
        const { node, sender } = yield* setup()
        const finalized = { number: quantity(10), hash: hashOf(1_010), parentHash: hashOf(1_009), timestamp: "0x1" }
        yield* sender.status(order, [one])
        // all but the finalized block is told by the forked node
        node.answer("eth_getBlockByNumber", ([tag]) => {
          const number = tag === "latest" ? 20 : Number(tag)
          return tag === "finalized"
            ? finalized
            : {
                number: quantity(number),
                hash: hashOf(5_000 + number),
                parentHash: hashOf(4_999 + number),
                timestamp: "0x1"
              }
        })
        mine(node, one, 9, { blockHash: hashOf(5_009) })
        const status = yield* Effect.result(sender.status(order, [one]))
        assert.strictEqual(Result.isFailure(status) ? status.failure.reason : status.success._tag, "inconsistent")
      })
  )

  it.live("finds the nonce however old the block is", () =>
    Effect.gen(function* () {
      for (const number of [0, 1, 2, 3, 7, 9, 10]) {
        const { node, sender } = yield* setup()
        taken(node, foreign, number)
        const status = yield* sender.status(order, [one])
        assert.strictEqual(status._tag === "Invalidated" ? status.by : status._tag, foreign, String(number))
      }
    })
  )

  const contradictions: Readonly<Record<string, (node: ScriptedNode) => void>> = {
    "a transaction in a block without a receipt": (node) => {
      mine(node, one, 10)
      node.answer("eth_getTransactionReceipt", () => null)
    },
    "a receipt of another transaction": (node) => mine(node, one, 10, { transactionHash: hashOf(1) }),
    "a receipt of another payer": (node) => mine(node, one, 10, { from: to }),
    "a receipt of a block that is not on the chain": (node) => mine(node, one, 10, { blockHash: hashOf(1) }),
    "a receipt without a status": (node) => mine(node, one, 10, { status: null }),
    "a receipt without a price": (node) => mine(node, one, 10, { effectiveGasPrice: null }),
    "a receipt of a block above the tip": (node) => mine(node, one, 21),
    "logs of a transaction that failed": (node) =>
      mine(node, one, 10, { status: "0x0", logs: [log(one, 10, transferLog(from, to, 5n))] }),
    "logs of another transaction": (node) => mine(node, one, 10, { logs: [log(two, 10, transferLog(from, to, 5n))] }),
    "two transactions of one nonce in blocks": (node) =>
      node.answer("eth_getTransactionByHash", ([hash]) => ({ hash, from, blockHash: hashOf(1_010) })),
    "another transaction than was asked for": (node) =>
      node.answer("eth_getTransactionByHash", () => ({ hash: hashOf(1), from, blockHash: null })),
    "a count that is nothing": (node) => node.answer("eth_getTransactionCount", () => null),
    "a count that falls while it is looked at": (node) =>
      node.answer("eth_getTransactionCount", ([, tag]) => (tag === "latest" ? "0x6" : "0x5")),
    "a block without the transaction that the count is of": (node) => {
      taken(node, foreign, 10)
      node.answer("eth_getBlockByHash", ([hash]) => ({ hash, transactions: [] }))
    },
    "a block that is another": (node) => {
      taken(node, foreign, 10)
      node.answer("eth_getBlockByHash", () => ({ hash: hashOf(1), transactions: [] }))
    },
    "no state of old blocks": (node) => {
      node.answer("eth_getTransactionCount", ([, tag]) =>
        tag === "latest" || Number(tag) > 15 ? "0x6" : refuse(-32000, "missing trie node")
      )
    },
    "no answer to whether it knows the transaction": (node) =>
      node.answer("eth_getTransactionByHash", () => body("", 503))
  }
  for (const [what, say] of Object.entries(contradictions)) {
    it.live(`rule 8: concludes nothing from ${what}`, () =>
      Effect.gen(function* () {
        const { node, sender } = yield* setup()
        say(node)
        assert.strictEqual((yield* Effect.flip(sender.status(order, [one, two])))._tag, "ChainError")
      })
    )
  }

  describe("of the only transaction of a nonce", () => {
    it.live("asks one question for it where it is in a block, whose receipt says all", () =>
      Effect.gen(function* () {
        const { node, sender } = yield* setup()
        mine(node, one, 10)
        const together = yield* sender.status(order, [one, two])
        const byName = node.asked("eth_getTransactionByHash")
        assert.deepStrictEqual(yield* sender.status(order, [one]), together)
        assert.strictEqual(node.asked("eth_getTransactionByHash"), byName)
      })
    )

    it.live(
      "asks by its name, too, where the newest block still expects the nonce, and believes no receipt alone",
      () =>
        Effect.gen(function* () {
          const { node, sender } = yield* setup()
          node.answer("eth_getTransactionReceipt", () => receiptOf(one, 10))
          assert.deepStrictEqual(yield* sender.status(order, [one]), { _tag: "Pending", known: false })
          assert.strictEqual(node.asked("eth_getTransactionByHash"), 1)
        })
    )

    it.live("waits for one that the node has in no block, however it answers for a receipt that is not there", () =>
      Effect.gen(function* () {
        const { node, sender } = yield* setup()
        node.answer("eth_getTransactionByHash", ([hash]) => ({ hash, from, blockHash: null }))
        for (const answer of [() => null, () => refuse(-32_000, "not found"), () => body("", 503)]) {
          node.answer("eth_getTransactionReceipt", answer)
          assert.deepStrictEqual(yield* sender.status(order, [one]), { _tag: "Pending", known: true })
        }
      })
    )

    const whole: Readonly<Record<string, Json>> = {
      "of another transaction": { transactionHash: hashOf(1) },
      "of another payer": { from: to },
      "of a block that is not on the chain": { blockHash: hashOf(1) },
      "without a status": { status: null },
      "without a price": { effectiveGasPrice: null }
    }
    for (const [what, change] of Object.entries(whole)) {
      it.live(`rule 8: concludes nothing from a receipt ${what}`, () =>
        Effect.gen(function* () {
          const { node, sender } = yield* setup()
          mine(node, one, 10, change)
          assert.strictEqual((yield* Effect.flip(sender.status(order, [one])))._tag, "ChainError")
        })
      )
    }
  })

  const call = signed({ to: token, value: 0n, data: transferData(to, 500n), gas: 80_000n })
  const effects: ReadonlyArray<readonly [string, Json, "done" | "reverted" | "missing"]> = [
    ["logged the very transfer", { logs: [log(call, 10, transferLog(from, to, 500n))] }, "done"],
    ["failed", { status: "0x0" }, "reverted"],
    ["logged nothing", {}, "missing"],
    ["logged another amount", { logs: [log(call, 10, transferLog(from, to, 499n))] }, "missing"],
    ["logged another receiver", { logs: [log(call, 10, transferLog(from, from, 500n))] }, "missing"],
    ["logged another sender", { logs: [log(call, 10, transferLog(to, to, 500n))] }, "missing"],
    ["had another contract log it", { logs: [log(call, 10, transferLog(from, to, 500n, to))] }, "missing"]
  ]
  for (const [what, change, effect] of effects) {
    it.live(`rule 11: calls the transfer of a token ${effect} that ${what}`, () =>
      Effect.gen(function* () {
        const { node, sender } = yield* setup()
        mine(node, call, 10, change)
        const status = yield* sender.status(order, [call])
        assert.strictEqual(status._tag === "Final" ? status.effect : status._tag, effect)
      })
    )
  }

  const costs: ReadonlyArray<readonly [string, Json, bigint]> = [
    ["posting to Ethereum", { l1Fee: "0x64" }, 100n],
    ["the operator, since Isthmus", { operatorFeeScalar: "0x1e8480", operatorFeeConstant: "0x7" }, 42_007n],
    [
      "the operator, since Jovian",
      { operatorFeeScalar: "0x2", operatorFeeConstant: "0x7", daFootprintGasScalar: "0x190" },
      4_200_007n
    ]
  ]
  for (const [what, change, extra] of costs) {
    it.live(`adds what base charges for ${what}`, () =>
      Effect.gen(function* () {
        const { node, sender } = yield* setup({}, "base")
        const transaction = signed({ chainId: 8453 })
        mine(node, transaction, 10, change)
        const status = yield* sender.status(order, [transaction])
        assert.strictEqual(status._tag === "Final" ? status.fee : -1n, 21_000n * 11n * gwei + extra)
      })
    )
  }

  it.live("takes a stored transaction that is not of this nonce for a bug, not for a fate", () =>
    Effect.gen(function* () {
      const { sender } = yield* setup()
      for (const wrong of [signed({ nonce: 6n }), { ...one, hash: two.hash }, { ...one, raw: Uint8Array.of(2) }]) {
        const exit = yield* Effect.exit(sender.status(order, [wrong]))
        assert.isTrue(exit._tag === "Failure" && exit.cause.reasons.every((reason) => reason._tag === "Die"))
      }
    })
  )

  describe("of a stored transaction that another key has signed", () => {
    const strange = signed({ from: to })

    it.live("is never that this nonce makes it impossible", () =>
      Effect.gen(function* () {
        const { node, sender } = yield* setup()
        taken(node, foreign, 10)
        for (const stored of [[strange], [one, strange], [strange, one]]) {
          const exit = yield* Effect.exit(sender.status(order, stored))
          assert.isTrue(exit._tag === "Failure" && exit.cause.reasons.every((reason) => reason._tag === "Die"))
        }
        assert.strictEqual((yield* sender.status(order, [one, two]))._tag, "Invalidated")
      })
    )

    it.live("is nothing where a node says whose it is, in a block or not", () =>
      Effect.gen(function* () {
        const { node, sender } = yield* setup()
        for (const blockHash of [null, hashOf(1_010)]) {
          node.answer("eth_getTransactionByHash", ([hash]) => ({ hash, from: to, blockHash }))
          node.answer("eth_getTransactionReceipt", () => receiptOf(strange, 10, { from: to }))
          assert.strictEqual((yield* Effect.flip(sender.status(order, [strange])))._tag, "ChainError")
        }
        // the node says nothing of it but by its receipt, which is found by the nonce
        node.answer("eth_getTransactionByHash", () => null)
        taken(node, strange.hash, 10)
        assert.strictEqual((yield* Effect.flip(sender.status(order, [strange])))._tag, "ChainError")
      })
    )
  })
})
