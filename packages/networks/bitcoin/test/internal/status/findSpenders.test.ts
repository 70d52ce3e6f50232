import { makeNode } from "@bursar/simulator-bitcoin/Node"
import { run } from "@bursar/simulator-bitcoin/rpc/dispatch"
import { contextOf } from "@bursar/simulator-bitcoin/rpc/Method"
import { scriptOf } from "@bursar/simulator-bitcoin/scripts"
import { decodeTx } from "@bursar/simulator-bitcoin/Tx"
import { assert, describe, it } from "@effect/vitest"
import type { StatusOrder, TransactionStatus } from "@bursar/core/port/ChainSender"
import type { Outpoint } from "@bursar/core/port/Utxo"
import { Effect, Redacted, Result } from "effect"
import { makeBitcoinSender } from "@bursar/bitcoin"
import { type Call, fakeNode, refusal, result } from "../../support/FakeNode.ts"
import { ownAddress, signed } from "../../support/World.ts"

const began = 1_767_225_600
const searchBlocksMax = 50
const own = scriptOf(ownAddress) ?? new Uint8Array()

/** A chain of empty blocks, a sender of its node, and how many blocks that node was asked for. */
const worldWith = Effect.fnUntraced(function* (searchBlocksMax: number) {
  const node = makeNode()
  node.mine(150, own, began)
  let read = 0
  let refused = 0
  let keptFrom = 0
  let isIndexed = true
  const { url } = yield* fakeNode((call: Call) => {
    if (call.method === "getblock") read += 1
    if (call.method === "getblock" && refused-- === 1) return refusal(call, -28, "as the test has it")
    const height = node.chain.active.findIndex(({ hash }) => hash === call.params[0])
    if (call.method === "getblock" && height < keptFrom) return refusal(call, -1, "Block not available (pruned data)")
    if (call.method === "getrawtransaction" && !isIndexed) return refusal(call, -5, "as the test has it")
    const outcome = run(contextOf(node, began, 0, 0), call)
    return "result" in outcome ? result(call, outcome.result) : refusal(call, outcome.error.code, outcome.error.message)
  })
  const make = () =>
    makeBitcoinSender({ rpcUrl: Redacted.make(url), chain: "regtest", searchBlocksMax, confirmations: 2 })
  return {
    node,
    sender: make(),
    /** One of the same node that has looked for nothing yet. */
    another: make(),
    /** How many blocks were read since it was asked last. */
    blocksRead: () => {
      const before = read
      read = 0
      return before
    },
    /** Blocks below this height are not given, by a node that has pruned them. */
    prune: (below: number) => {
      keptFrom = below
    },
    /** The node has no index of transactions from now on. */
    dropIndex: () => {
      isIndexed = false
    },
    /** The so many-th block from now on is not given. */
    refuse: (nth: number) => {
      refused = nth
    }
  }
})

const worldOf = worldWith(searchBlocksMax)

/** A transaction that spends an output, which no block has made where none is named. */
const spendOf = (txid = "11".repeat(32), units = 50_000n) => {
  const transaction = signed([{ txid, vout: 0, units }], [{ to: ownAddress, units: units - 1_000n }])
  const outpoint = { txHash: txid, vout: 0 }
  const utxo = { ...outpoint, units, address: ownAddress }
  const attempt = { hash: transaction.getId(), raw: transaction.toBuffer(), validUntil: null }
  return {
    transaction,
    attempt,
    outpoint,
    order: { from: ownAddress, guard: { _tag: "Utxos", utxos: [utxo] } } as const
  }
}

const outpointOf = ({ txid, vout }: { readonly txid: string; readonly vout: number }): Outpoint => ({
  txHash: txid,
  vout
})

const spentOf = (status: TransactionStatus) => (status._tag === "Invalidated" ? (status.spent ?? []) : [])

describe("what an output was spent by, which is neither unspent nor spent", () => {
  it.live("is looked for in each block once, however often it is asked for", () =>
    Effect.gen(function* () {
      const { blocksRead, node, sender } = yield* worldOf
      const { attempt, order } = spendOf()
      const ask = Effect.flip(sender.status(order, [attempt]))
      assert.strictEqual((yield* ask).reason, "absent")
      assert.strictEqual(blocksRead(), searchBlocksMax)
      for (let round = 0; round < 20; round++) {
        assert.strictEqual((yield* ask).reason, "absent")
        node.mine(1, own, began)
      }
      assert.strictEqual(blocksRead(), 19)
      node.reorg(10, true, own, began)
      assert.strictEqual((yield* ask).reason, "absent")
      assert.strictEqual(blocksRead(), 10)
    })
  )

  it.live("goes on from the block at which the node did not answer", () =>
    Effect.gen(function* () {
      const { blocksRead, refuse, sender } = yield* worldOf
      const { attempt, order } = spendOf()
      const ask = Effect.flip(sender.status(order, [attempt]))
      refuse(31)
      assert.strictEqual((yield* ask).reason, "unreachable")
      assert.strictEqual(blocksRead(), 31)
      assert.strictEqual((yield* ask).reason, "absent")
      assert.strictEqual(blocksRead(), searchBlocksMax - 30)
    })
  )

  it.live("is not there to be found, as far as a node can tell that has pruned the blocks below", () =>
    Effect.gen(function* () {
      const { blocksRead, prune, sender } = yield* worldOf
      const { attempt, order } = spendOf()
      prune(130)
      const error = yield* Effect.flip(sender.status(order, [attempt]))
      assert.strictEqual(error.reason, "absent")
      assert.include(error.detail, "pruned data")
      assert.isBelow(blocksRead(), searchBlocksMax)
    })
  )

  for (const index of ["with", "without"] as const)
    it.live(
      `is found however long ago that was, further down each time it is asked for, ${index} an index of the node's`,
      () =>
        Effect.gen(function* () {
          const { another, blocksRead, dropIndex, node, sender } = yield* worldOf
          const coinbase = node.chain.active[1]?.transactions[0]
          const units = coinbase?.transaction.outs[0]?.value
          if (coinbase === undefined || units === undefined) return assert.fail("no coin")
          const { order, outpoint, transaction } = spendOf(coinbase.txid, units)
          const spender = decodeTx(transaction.toHex())
          if (spender === undefined) return assert.fail("no spender")
          node.mineOnly([spender], 1_000n, own, began)
          node.mine(2 * searchBlocksMax + 10, own, began)
          if (index === "without") dropIndex()
          const since = { ...order, madeSince: 1 }
          assert.strictEqual((yield* Effect.flip(sender.status(since, []))).reason, "absent")
          yield* Effect.exit(sender.status(since, []))
          if (index === "without") assert.strictEqual(blocksRead(), 2 * searchBlocksMax)
          assert.deepStrictEqual(spentOf(yield* sender.status(since, [])), [outpoint])
          // where nobody knows in what block it was made, only the newest ones are looked through
          for (let again = 0; again < 4; again++)
            assert.strictEqual((yield* Effect.flip(another.status(order, []))).reason, "absent")
        })
    )

  for (const more of [-10, 0, 10])
    it.live(
      `is found where ${searchBlocksMax + more} blocks are new since the search was begun, ${searchBlocksMax} of which are searched at once`,
      () =>
        Effect.gen(function* () {
          const { blocksRead, dropIndex, node, sender } = yield* worldOf
          const coinbase = node.chain.active[1]?.transactions[0]
          const units = coinbase?.transaction.outs[0]?.value
          if (coinbase === undefined || units === undefined) return assert.fail("no coin")
          const { order, outpoint, transaction } = spendOf(coinbase.txid, units)
          const spender = decodeTx(transaction.toHex())
          if (spender === undefined) return assert.fail("no spender")
          node.mineOnly([spender], 1_000n, own, began)
          node.mine(2 * searchBlocksMax + 10, own, began)
          dropIndex()
          const ask = sender.status({ ...order, madeSince: 1 }, [])
          assert.strictEqual((yield* Effect.flip(ask)).reason, "absent")
          node.mine(searchBlocksMax + more, own, began)
          blocksRead()
          let tries = 1
          while (tries < 10 && Result.isFailure(yield* Effect.result(ask))) tries += 1
          assert.deepStrictEqual(spentOf(yield* ask), [outpoint])
          assert.isAtMost(blocksRead(), 3 * searchBlocksMax + 10 + more + 1, "each block once")
        })
    )

  it.live(
    "has each block searched once where more are new than are searched at once, and nobody knows what block made it",
    () =>
      Effect.gen(function* () {
        const { blocksRead, node, sender } = yield* worldOf
        const ask = Effect.flip(sender.status(spendOf().order, []))
        yield* ask
        node.mine(searchBlocksMax + 10, own, began)
        blocksRead()
        for (let again = 0; again < 5; again++) assert.strictEqual((yield* ask).reason, "absent")
        assert.strictEqual(blocksRead(), searchBlocksMax)
      })
  )

  it.live("goes on from the block at which the node did not answer also where many blocks are new", () =>
    Effect.gen(function* () {
      const { node, refuse, sender } = yield* worldWith(300)
      const ask = Effect.flip(sender.status(spendOf().order, []))
      assert.strictEqual((yield* ask).reason, "absent")
      node.mine(180, own, began)
      // a node that never gives more than 120 in a row
      const reasons: Array<string> = []
      for (let again = 0; again < 3; again++) {
        refuse(121)
        reasons.push((yield* ask).reason)
      }
      assert.deepStrictEqual(reasons, ["unreachable", "unreachable", "absent"])
    })
  )

  it.live("is not looked for below the block that made the output", () =>
    Effect.gen(function* () {
      const { blocksRead, sender } = yield* worldOf
      const since = { ...spendOf().order, madeSince: 91 }
      for (let again = 0; again < 5; again++)
        assert.strictEqual((yield* Effect.flip(sender.status(since, []))).reason, "absent")
      assert.strictEqual(blocksRead(), 60, "blocks 150 to 91")
    })
  )

  it.live("is found where a block that replaced a searched one makes and spends it", () =>
    Effect.gen(function* () {
      const { blocksRead, node, sender } = yield* worldOf
      const coinbase = node.chain.active[1]?.transactions[0]
      const held = coinbase?.transaction.outs[0]?.value
      if (coinbase === undefined || held === undefined) return assert.fail("no coin")
      const units = held - 1_000n
      const made = signed([{ txid: coinbase.txid, vout: 0, units: held }], [{ to: ownAddress, units }])
      const { attempt, order } = spendOf(made.getId(), units)
      const rival = signed([{ txid: made.getId(), vout: 0, units }], [{ to: ownAddress, units: units - 2_000n }])
      const both = [made, rival].flatMap((one) => decodeTx(one.toHex()) ?? [])
      const ask = sender.status(order, [attempt])
      assert.strictEqual((yield* Effect.flip(ask)).reason, "absent")
      node.invalidate(node.chain.active.at(-8)?.hash ?? "", began)
      node.mineOnly(both, 3_000n, own, began)
      node.mine(10, own, began)
      blocksRead()
      assert.deepInclude(yield* ask, { _tag: "Invalidated", by: rival.getId() })
      assert.strictEqual(blocksRead(), 11)
      // that branch is lost, too, and with it what was found
      node.invalidate(node.chain.active.at(-11)?.hash ?? "", began)
      node.mempool.drop([made.getId(), rival.getId()])
      node.mine(12, own, began)
      assert.strictEqual((yield* Effect.flip(ask)).reason, "absent")
      node.mineOnly(both, 3_000n, own, began)
      node.mine(6, own, began)
      assert.deepInclude(yield* ask, { _tag: "Invalidated", by: rival.getId() })
    })
  )

  it.live("is never spent where a rival has for good what the transaction of ours spends that made it", () =>
    Effect.gen(function* () {
      const { node, sender } = yield* worldOf
      const coinbase = node.chain.active[1]?.transactions[0]
      const held = coinbase?.transaction.outs[0]?.value
      if (coinbase === undefined || held === undefined) return assert.fail("no coin")
      const maker = spendOf(coinbase.txid, held)
      const { attempt, order, outpoint } = spendOf(maker.attempt.hash, held - 1_000n)
      const rival = spendOf(coinbase.txid, held - 5_000n).transaction
      const ask = sender.status({ ...order, madeBy: [maker.attempt] }, [attempt])
      // its maker may still come
      assert.strictEqual((yield* Effect.flip(ask)).reason, "absent")
      const mined = decodeTx(rival.toHex())
      if (mined === undefined) return assert.fail("no rival")
      node.mineOnly([mined], 6_000n, own, began)
      node.mine(4, own, began)
      assert.strictEqual((yield* Effect.flip(ask)).reason, "absent")
      node.mine(1, own, began)
      assert.deepInclude(yield* ask, { _tag: "Invalidated", by: rival.getId(), spent: [outpoint] })
      // where the maker itself is what is in the chain, it is no rival of what it made
      node.invalidate(node.chain.active.at(-6)?.hash ?? "", began)
      node.mempool.drop([rival.getId()])
      const made = decodeTx(maker.transaction.toHex())
      if (made === undefined) return assert.fail("no maker")
      node.mineOnly([made], 1_000n, own, began)
      node.mine(8, own, began)
      assert.deepInclude(yield* ask, { _tag: "Pending" })
    })
  )

  it.live(
    "is never spent where somebody else has made it, in a block that is lost, and a rival has for good what that one spent",
    () =>
      Effect.gen(function* () {
        const { node, sender } = yield* worldOf
        const coinbase = node.chain.active[1]?.transactions[0]
        const held = coinbase?.transaction.outs[0]?.value
        if (coinbase === undefined || held === undefined) return assert.fail("no coin")
        const funding = spendOf(coinbase.txid, held)
        const { attempt, order, outpoint } = spendOf(funding.attempt.hash, held - 1_000n)
        const [made, rival] = [funding.transaction, spendOf(coinbase.txid, held - 5_000n).transaction].map((one) =>
          decodeTx(one.toHex())
        )
        if (made === undefined || rival === undefined) return assert.fail("no transactions")
        const ask = sender.status(order, [attempt])
        node.mineOnly([made], 1_000n, own, began)
        assert.deepInclude(yield* ask, { _tag: "Pending" })
        // a reorganisation takes the funding, which may come again
        node.invalidate(node.chain.active.at(-1)?.hash ?? "", began)
        node.mempool.drop([made.txid])
        node.mine(3, own, began)
        assert.strictEqual((yield* Effect.flip(ask)).reason, "absent")
        // whoever paid has spent the same again
        node.mineOnly([rival], 6_000n, own, began)
        node.mine(4, own, began)
        assert.strictEqual((yield* Effect.flip(ask)).reason, "absent")
        node.mine(1, own, began)
        assert.deepInclude(yield* ask, { _tag: "Invalidated", by: rival.txid, spent: [outpoint] })
        // where that is lost in turn and the funding comes, ours may, too
        node.invalidate(node.chain.active.at(-6)?.hash ?? "", began)
        node.mempool.drop([rival.txid])
        node.mineOnly([made], 1_000n, own, began)
        node.mine(8, own, began)
        assert.deepInclude(yield* ask, { _tag: "Pending" })
      })
  )

  for (const isReversed of [false, true])
    it.live(
      `is found of two by a sender that asked early and one that asks late, the one that was spent last by both, ${isReversed ? "whichever is named first" : "in the order of their spending"}`,
      () =>
        Effect.gen(function* () {
          const { another, blocksRead, node, sender } = yield* worldOf
          const coinAt = (height: number) => {
            const coinbase = node.chain.active[height]?.transactions[0]
            return { txid: coinbase?.txid ?? "", vout: 0, units: coinbase?.transaction.outs[0]?.value ?? 0n }
          }
          const coins = [coinAt(1), coinAt(2)] as const
          const [one, other] = [outpointOf(coins[0]), outpointOf(coins[1])]
          const under = (...outpoints: ReadonlyArray<Outpoint>): StatusOrder => ({
            from: ownAddress,
            guard: {
              _tag: "Utxos",
              utxos: outpoints.map((outpoint) => ({ ...outpoint, units: 1n, address: ownAddress }))
            }
          })
          const order = isReversed ? under(other, one) : under(one, other)
          for (const [coin, spent] of [
            [coins[0], [one]],
            [coins[1], [one, other]]
          ] as const) {
            const rival = decodeTx(signed([coin], [{ to: ownAddress, units: coin.units - 1_000n }]).toHex())
            if (rival === undefined) return assert.fail("no rival")
            node.mineOnly([rival], 1_000n, own, began)
            node.mine(8, own, began)
            assert.sameDeepMembers([...spentOf(yield* sender.status(order, []))], [...spent])
          }
          assert.deepStrictEqual(spentOf(yield* another.status(order, [])), [other])
          // what was found before may lie deeper than blocks are searched
          node.mine(searchBlocksMax, own, began)
          blocksRead()
          const lost = under(one, { txHash: "11".repeat(32), vout: 0 })
          assert.deepStrictEqual(spentOf(yield* sender.status(lost, [])), [one])
          assert.strictEqual(blocksRead(), searchBlocksMax)
          return undefined
        })
    )
})
