import { assert, describe, it } from "@effect/vitest"
import type { Transaction } from "bitcoinjs-lib"
import { Rejection } from "../src/Rejection.ts"
import { toTx, type Tx } from "../src/Tx.ts"
import { coinOf, kinds, makeRichNode, scripts, signed, start, type TestCoin, type TestOutput } from "./keys.ts"

const to = (value: bigint, script: Uint8Array = scripts.p2wpkh): TestOutput => ({ script, value })

/** A payment of all of a coin, but for the fee. */
const spend = (coin: TestCoin, fee: bigint) => signed([coin], [to(coin.value - fee)])

const reasonOf = (judge: () => unknown): string => {
  try {
    judge()
    return "taken"
  } catch (error) {
    if (!(error instanceof Rejection)) throw error
    return error.details
  }
}

describe("what a transaction must satisfy, in Bitcoin Core's words", () => {
  const { coins, node } = makeRichNode()
  const [coin, other] = coins
  const judge = (tx: Tx) => reasonOf(() => node.mempool.judge(tx, start))
  const young = node.chain.tip().transactions[0]!

  const cases: ReadonlyArray<readonly [string, () => Tx, string]> = [
    ["a plain payment", () => spend(coin!, 1_000n), "taken"],
    ["one satoshi per virtual byte", () => spend(coin!, 110n), "taken"],
    ["less than that", () => spend(coin!, 109n), "min relay fee not met, 109 < 110"],
    [
      "a coinbase too young",
      () => spend(coinOf(young, 0, "p2wpkh"), 1_000n),
      "bad-txns-premature-spend-of-coinbase, tried to spend coinbase at depth 1"
    ],
    ["a lock time to come", () => signed([coin!], [to(1_000_000n)], 100_000), "non-final"],
    ["a lock time that has come", () => signed([coin!], [to(coin!.value - 1_000n)], 110), "taken"],
    ["a relative lock to come", () => signed([{ ...coin!, sequence: 5_000 }], [to(1_000_000n)]), "non-BIP68-final"],
    ["a relative lock that has come", () => signed([{ ...coin!, sequence: 100 }], [to(coin!.value - 1_000n)]), "taken"],
    ["a coin that is not there", () => spend({ ...coin!, txid: "11".repeat(32) }, 1_000n), "missing-inputs"],
    ["dust to P2WPKH", () => signed([coin!], [to(293n), to(coin!.value - 3_000n)]), "dust"],
    ["just no dust to P2WPKH", () => signed([coin!], [to(294n), to(coin!.value - 3_000n)]), "taken"],
    ["dust to P2TR", () => signed([coin!], [to(329n, scripts.p2tr), to(coin!.value - 3_000n)]), "dust"],
    ["just no dust to P2TR", () => signed([coin!], [to(330n, scripts.p2tr), to(coin!.value - 3_000n)]), "taken"],
    ["dust to P2PKH", () => signed([coin!], [to(545n, scripts.p2pkh), to(coin!.value - 3_000n)]), "dust"],
    ["dust to P2SH", () => signed([coin!], [to(539n, scripts.p2sh), to(coin!.value - 3_000n)]), "dust"],
    [
      "an unknown script",
      () => signed([coin!], [to(100_000n, Uint8Array.of(0x51, 0x51)), to(1_000_000n)]),
      "scriptpubkey"
    ],
    ["two coins", () => signed([coin!, other!], [to(9_999_990_000n)]), "taken"]
  ]
  for (const [name, make, expected] of cases) {
    it(`${expected === "taken" ? "takes" : "refuses"} ${name}`, () => {
      assert.strictEqual(judge(make()), expected)
    })
  }

  it("refuses more out than in", () => {
    // No wallet signs that; amounts are looked at before signatures.
    const more = spend(coin!, 1_000n).transaction.clone()
    more.outs[0]!.value = coin!.value + 1n
    assert.strictEqual(judge(toTx(more)), "bad-txns-in-belowout, value in (50.00) < value out (50.00000001)")
  })

  it("refuses a coin twice in one transaction", () => {
    const twice = spend(coin!, 1_000n).transaction.clone()
    twice.addInput(twice.ins[0]!.hash, 0)
    assert.strictEqual(judge(toTx(twice)), "bad-txns-inputs-duplicate")
  })

  it("refuses a coinbase", () => {
    assert.strictEqual(judge(young), "coinbase")
  })

  it("refuses what is in it, and what is in the chain", () => {
    const rich = makeRichNode()
    const tx = spend(rich.coins[0]!, 1_000n)
    rich.node.mempool.accept(tx, start)
    assert.strictEqual(
      reasonOf(() => rich.node.mempool.judge(tx, start)),
      "txn-already-in-mempool"
    )
    const bare = tx.transaction.clone()
    bare.stripWitnesses()
    assert.strictEqual(
      reasonOf(() => rich.node.mempool.judge(toTx(bare), start)),
      "txn-same-nonwitness-data-in-mempool"
    )
    rich.node.mine(1, scripts.p2wpkh, start)
    assert.strictEqual(
      reasonOf(() => rich.node.mempool.judge(tx, start)),
      "txn-already-known"
    )
  })

  it("refuses the 26th of a chain", () => {
    const rich = makeRichNode()
    let coinNow = rich.coins[0]!
    for (let n = 0; n < 25; n++) {
      coinNow = coinOf(rich.node.mempool.accept(spend(coinNow, 1_000n), start), 0, "p2wpkh")
    }
    assert.strictEqual(
      reasonOf(() => rich.node.mempool.accept(spend(coinNow, 1_000n), start)),
      "too-long-mempool-chain, too many unconfirmed ancestors [limit: 25]"
    )
  })
})

describe("signatures", () => {
  /** A coin of each kind. */
  const rich = makeRichNode()
  const funding = signed(
    [rich.coins[0]!],
    [...kinds.map((kind) => to(1_000_000n, scripts[kind])), to(1_000_000n, scripts.p2wsh)]
  )
  // What is left is an immense fee; nobody but this pool minds.
  rich.node.mempool.accept(funding, start)
  const judge = (transaction: Transaction) => reasonOf(() => rich.node.mempool.judge(toTx(transaction), start))
  const spending = (index: number) => signed([coinOf(funding, index, kinds[index]!)], [to(990_000n)]).transaction

  for (const [index, kind] of kinds.entries()) {
    it(`takes one that a wallet made for ${kind}`, () => {
      assert.strictEqual(judge(spending(index)), "taken")
    })

    it(`refuses one for ${kind} when an output was changed after it`, () => {
      const changed = spending(index).clone()
      changed.outs[0]!.value -= 1n
      assert.match(judge(changed), /^mempool-script-verify-flag-failed/u)
    })

    it(`refuses one for ${kind} with any bit flipped`, () => {
      const original = spending(index)
      const bytes = kind === "p2pkh" ? original.ins[0]!.script : original.ins[0]!.witness[0]!
      for (let at = 0; at < bytes.length; at += 5) {
        const changed = original.clone()
        const input = changed.ins[0]!
        const spoilt = Uint8Array.from(bytes)
        spoilt[at]! ^= 1
        if (kind === "p2pkh") input.script = spoilt
        else input.witness = [spoilt, ...input.witness.slice(1)]
        assert.match(judge(changed), /^mempool-script-verify-flag-failed|^scriptsig/u, `byte ${at}`)
      }
    })

    it(`refuses ${kind} without any`, () => {
      const bare = spending(index).clone()
      bare.ins[0]!.script = new Uint8Array()
      bare.ins[0]!.witness = []
      assert.match(judge(bare), /^mempool-script-verify-flag-failed/u)
    })
  }

  it("signs several kinds in one transaction", () => {
    const all = signed(
      kinds.map((kind, index) => coinOf(funding, index, kind)),
      [to(3_990_000n)]
    )
    assert.strictEqual(judge(all.transaction), "taken")
  })

  it("says that it cannot run other scripts", () => {
    const tx = signed([coinOf(funding, 0, "p2wpkh")], [to(990_000n)]).transaction.clone()
    tx.ins[0]!.index = 4
    assert.match(judge(tx), /does not run scripts/u)
  })

  it("names the input and the coin", () => {
    const changed = spending(0).clone()
    changed.outs[0]!.value -= 1n
    const { txid, wtxid } = toTx(changed)
    assert.strictEqual(
      judge(changed),
      "mempool-script-verify-flag-failed (Signature must be zero for failed CHECK(MULTI)SIG operation), " +
        `input 0 of ${txid} (wtxid ${wtxid}), spending ${funding.txid}:0`
    )
  })
})

describe("replacement", () => {
  /** A parent with a child, as they wait. */
  const family = () => {
    const { coins, node } = makeRichNode()
    const [coin, other] = coins
    const parent = signed([coin!], [to(1_000_000n), to(coin!.value - 1_010_000n)])
    node.mempool.accept(parent, start)
    const child = spend(coinOf(parent, 1, "p2wpkh"), 5_000n)
    node.mempool.accept(child, start)
    return { node, coin: coin!, other: other!, parent, child }
  }
  const refusal = (tx: Tx) => `insufficient fee, rejecting replacement ${tx.txid}`

  it("takes what pays for all that it pushes out", () => {
    const { child, coin, node, parent } = family()
    // 10,000 and 5,000 are pushed out; its own 110 vB cost 110 more.
    const better = spend(coin, 15_110n)
    const { replaced } = node.mempool.judge(better, start)
    assert.deepStrictEqual(
      replaced.map(({ txid }) => txid),
      [parent.txid, child.txid]
    )
    node.mempool.accept(better, start)
    assert.deepStrictEqual([...node.mempool.entries.keys()], [better.txid])
  })

  it("asks for a higher fee rate first", () => {
    const { coin, node } = family()
    const slow = spend(coin, 5_000n)
    assert.strictEqual(
      reasonOf(() => node.mempool.accept(slow, start)),
      `${refusal(slow)}; new feerate 0.00045454 BTC/kvB <= old feerate 0.00070921 BTC/kvB`
    )
    assert.strictEqual(node.mempool.entries.size, 2)
  })

  it("asks for more than all that it pushes out paid", () => {
    const { coin, node } = family()
    const less = spend(coin, 14_999n)
    assert.strictEqual(
      reasonOf(() => node.mempool.accept(less, start)),
      `${refusal(less)}, less fees than conflicting txs; 0.00014999 < 0.00015`
    )
  })

  it("asks for its own relay on top", () => {
    const { coin, node } = family()
    const bare = spend(coin, 15_109n)
    assert.strictEqual(
      reasonOf(() => node.mempool.accept(bare, start)),
      `${refusal(bare)}, not enough additional fees to relay; 0.00000109 < 0.0000011`
    )
  })

  it("takes no other unconfirmed coin in", () => {
    const { coin, node, other } = family()
    const waiting = spend(other, 1_000n)
    node.mempool.accept(waiting, start)
    const mixed = signed([coin, coinOf(waiting, 0, "p2wpkh")], [to(9_999_000_000n)])
    assert.match(
      reasonOf(() => node.mempool.accept(mixed, start)),
      /^replacement-adds-unconfirmed/u
    )
  })

  it("spends nothing of what it pushes out", () => {
    const { coin, node, parent } = family()
    const own = signed([coin, coinOf(parent, 0, "p2wpkh")], [to(coin.value)])
    assert.match(
      reasonOf(() => node.mempool.accept(own, start)),
      /^bad-txns-spends-conflicting-tx/u
    )
  })

  it("needs no signal", () => {
    const { coins, node } = makeRichNode()
    const final = { ...coins[0]!, sequence: 0xffff_ffff }
    node.mempool.accept(spend(final, 1_000n), start)
    assert.strictEqual(
      reasonOf(() => node.mempool.accept(spend(final, 2_000n), start)),
      "taken"
    )
  })
})
