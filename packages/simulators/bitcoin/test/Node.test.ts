import { assert, describe, it } from "@effect/vitest"
import { Block } from "bitcoinjs-lib"
import { makeNode } from "../src/Node.ts"
import { subsidyAt } from "../src/mineBlock.ts"
import type { Tx } from "../src/Tx.ts"
import { coinOf, makeRichNode, scripts, signed, start, type TestCoin } from "./keys.ts"

const spend = (coin: TestCoin, fee = 1_000n): Tx =>
  signed([coin], [{ script: scripts.p2wpkh, value: coin.value - fee }])

const waiting = ({ mempool }: ReturnType<typeof makeNode>) => [...mempool.entries.keys()]

const txidsAt = ({ chain }: ReturnType<typeof makeNode>, height: number) =>
  chain.active[height]!.transactions.slice(1).map(({ txid }) => txid)

describe("the chain", () => {
  it("starts with the first block of regtest", () => {
    const { chain } = makeNode()
    assert.strictEqual(chain.tip().hash, "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206")
    assert.strictEqual(chain.coins.size, 0)
  })

  it("has blocks that hold what they commit to, with proof of work, each later than the one before", () => {
    const { coins, node } = makeRichNode()
    node.mempool.accept(spend(coins[0]!), start)
    node.mempool.accept(spend(coins[1]!), start)
    node.mine(2, scripts.p2wpkh, start)
    const { active } = node.chain
    for (const [height, { block, hash, parent }] of active.entries()) {
      const again = Block.fromBuffer(block.toBuffer())
      assert.strictEqual(again.getId(), hash)
      assert.isTrue(again.checkProofOfWork() && again.checkTxRoots(), `block ${height}`)
      assert.strictEqual(height === 0 ? parent : active[height - 1]!.hash, parent)
      if (height > 0) assert.isAbove(block.timestamp, active[height - 1]!.block.timestamp)
    }
  })

  it("mints half as much every 150 blocks, and the fees", () => {
    assert.deepStrictEqual(
      [subsidyAt(149), subsidyAt(150), subsidyAt(300)],
      [5_000_000_000n, 2_500_000_000n, 1_250_000_000n]
    )
    const { coins, node } = makeRichNode()
    node.mempool.accept(spend(coins[0]!, 7_000n), start)
    node.mine(1, scripts.p2wpkh, start)
    assert.strictEqual(node.chain.tip().transactions[0]!.transaction.outs[0]!.value, 5_000_007_000n)
  })

  it("does not run away from the clock when many blocks are mined", () => {
    const node = makeNode()
    node.mine(3_700, scripts.p2wpkh, start)
    // An hour, and from there as little as the median of eleven blocks allows.
    assert.isAtMost(node.chain.tip().block.timestamp, start + 3_600 + 20)
    assert.isAbove(node.chain.tip().block.timestamp, node.chain.active.at(-2)!.medianTime)
  })
})

describe("reorganisations", () => {
  it("put transactions back to wait, and mine them again", () => {
    const { coins, node } = makeRichNode()
    const tx = spend(coins[0]!)
    node.mempool.accept(tx, start)
    const [hash] = node.mine(1, scripts.p2wpkh, start)
    assert.deepStrictEqual(waiting(node), [])
    assert.isTrue(node.invalidate(hash!, start))
    assert.deepStrictEqual([node.chain.tip().height, waiting(node)], [110, [tx.txid]])
    node.mine(1, scripts.p2wpkh, start)
    assert.deepStrictEqual(txidsAt(node, 111), [tx.txid])
    assert.notStrictEqual(node.chain.tip().hash, hash)
  })

  it("give back what they spent, and take back what they made", () => {
    const { coins, node } = makeRichNode()
    const before = new Map(node.chain.coins)
    const tx = spend(coins[0]!)
    node.mempool.accept(tx, start)
    const [hash] = node.mine(3, scripts.p2wpkh, start)
    assert.isFalse(node.chain.coins.has(`${coins[0]!.txid}:0`))
    node.invalidate(hash!, start)
    assert.deepStrictEqual(new Map(node.chain.coins), before)
  })

  it("are taken back by reconsidering", () => {
    const { coins, node } = makeRichNode()
    node.mempool.accept(spend(coins[0]!), start)
    const [hash, , tip] = node.mine(3, scripts.p2wpkh, start)
    node.invalidate(hash!, start)
    node.mine(1, scripts.p2wpkh, start)
    const middle = node.chain.tip().hash
    assert.isTrue(node.reconsider(hash!, start))
    assert.strictEqual(node.chain.tip().hash, tip)
    assert.deepStrictEqual(waiting(node), [])
    assert.isFalse(node.chain.isActive(node.chain.blocks.get(middle)!))
    assert.isFalse(node.invalidate("33".repeat(32), start))
    assert.isFalse(node.reconsider("33".repeat(32), start))
  })

  it("replace as many blocks as they were asked to, and keep each transaction at its height", () => {
    const { coins, node } = makeRichNode()
    const txs = [spend(coins[0]!), spend(coins[1]!)]
    for (const tx of txs) {
      node.mempool.accept(tx, start)
      node.mine(1, scripts.p2wpkh, start)
    }
    const child = spend(coinOf(txs[1]!, 0, "p2wpkh"))
    node.mempool.accept(child, start)
    const hashes = node.chain.active.map(({ hash }) => hash)
    node.reorg(2, true, scripts.p2wpkh, start)
    assert.strictEqual(node.chain.tip().height, 112)
    assert.deepStrictEqual([txidsAt(node, 111), txidsAt(node, 112)], [[txs[0]!.txid], [txs[1]!.txid]])
    assert.notStrictEqual(node.chain.active[111]!.hash, hashes[111])
    assert.strictEqual(node.chain.active[110]!.hash, hashes[110])
    assert.deepStrictEqual(waiting(node), [child.txid])
  })

  it("drop transactions and all that depends on them", () => {
    const { coins, node } = makeRichNode()
    const tx = spend(coins[0]!)
    const unrelated = spend(coins[1]!)
    node.mempool.accept(tx, start)
    node.mine(1, scripts.p2wpkh, start)
    node.mempool.accept(spend(coinOf(tx, 0, "p2wpkh")), start)
    node.mempool.accept(unrelated, start)
    node.reorg(1, false, scripts.p2wpkh, start)
    assert.deepStrictEqual([txidsAt(node, 111), waiting(node)], [[], [unrelated.txid]])
    assert.isTrue(node.chain.coins.has(`${coins[0]!.txid}:0`))
  })

  it("drop what spends a coinbase that was lost", () => {
    const { coins, node } = makeRichNode()
    node.mempool.accept(spend(coins[9]!), start)
    node.mine(1, scripts.p2wpkh, start)
    node.invalidate(node.chain.active[10]!.hash, start)
    assert.deepStrictEqual([node.chain.tip().height, waiting(node)], [9, []])
  })

  it("go on finding the lost transaction in the index, as Bitcoin Core does", () => {
    const { coins, node } = makeRichNode()
    const tx = spend(coins[0]!)
    node.mempool.accept(tx, start)
    const [hash] = node.mine(1, scripts.p2wpkh, start)
    node.reorg(1, false, scripts.p2wpkh, start)
    assert.strictEqual(node.chain.index.get(tx.txid)?.hash, hash)
  })

  it("push a conflict out that was mined", () => {
    const { coins, node } = makeRichNode()
    const first = spend(coins[0]!, 1_000n)
    const second = spend(coins[0]!, 2_000n)
    node.mempool.accept(first, start)
    node.mempool.accept(spend(coinOf(first, 0, "p2wpkh")), start)
    node.mineOnly([second], 2_000n, scripts.p2wpkh, start)
    assert.deepStrictEqual([txidsAt(node, 111), waiting(node)], [[second.txid], []])
  })
})
