import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { type BitcoinSenderOptions, makeBitcoinSender } from "@bursar/bitcoin"
import type { Claimed, Payment } from "@bursar/core/port/ChainSender"
import { type Answer, type Call, fakeNode, recordedResult, refusal, replay, result } from "./support/FakeNode.ts"
import { keyOf } from "./support/Keys.ts"
import { ownAddress, signed } from "./support/World.ts"

/** What a node says of fees; a part of it can be changed. */
const fees = {
  estimatesmartfee: { feerate: 0.00012345, blocks: 6 } as unknown,
  getmempoolinfo: { mempoolminfee: 0.00001, minrelaytxfee: 0.00001, incrementalrelayfee: 0.00001 } as unknown
}

const answering =
  (results: Readonly<Record<string, unknown>>) =>
  (call: Call): Answer =>
    Object.hasOwn(results, call.method) ? result(call, results[call.method]) : replay(call)

const senderOf = (answer: (call: Call) => Answer, options?: Partial<BitcoinSenderOptions>) =>
  Effect.map(fakeNode(answer), ({ url }) =>
    makeBitcoinSender({ rpcUrl: Redacted.make(url), chain: "regtest", ...options })
  )

const senderOn = (results: Readonly<Record<string, unknown>>, options?: Partial<BitcoinSenderOptions>) =>
  senderOf(answering({ ...fees, ...results }), options)

const nothing = { errors: ["Insufficient data or no feerate found"], blocks: 0 }

/** What the sender says the rate is: also whether it says so at all. */
const rateOf = (results: Readonly<Record<string, unknown>>, options?: Partial<BitcoinSenderOptions>) =>
  Effect.gen(function* () {
    const sender = yield* senderOn(results, options)
    return yield* Effect.result(sender.feeRate)
  })

describe("the fee rate", () => {
  it.live.each<readonly [string, Readonly<Record<string, unknown>>, Partial<BitcoinSenderOptions>, bigint | null]>([
    ["is what the node estimates, exact to the satoshi", {}, {}, 12_345n],
    [
      "is never below what the mempool takes",
      { getmempoolinfo: { mempoolminfee: 0.0002, minrelaytxfee: 0.00001 } },
      {},
      20_000n
    ],
    [
      "is never below what nodes relay",
      { getmempoolinfo: { mempoolminfee: 0.00001, minrelaytxfee: 0.0003 } },
      {},
      30_000n
    ],
    ["is null where the node has nothing to estimate from", { estimatesmartfee: nothing }, {}, null],
    ["is the configured one in that case", { estimatesmartfee: nothing }, { fallbackFeeRate: 7_000n }, 7_000n],
    ["is not the configured one where there is an estimate", {}, { fallbackFeeRate: 7_000n }, 12_345n]
  ])("%s", ([, results, options, expected]) =>
    Effect.gen(function* () {
      const rate = yield* rateOf(results, options)
      assert.strictEqual(rate._tag === "Success" ? rate.success : rate.failure.message, expected)
    })
  )

  it.live.each<readonly [string, Readonly<Record<string, unknown>>]>([
    ["an empty answer", { estimatesmartfee: null }],
    ["an answer of another type", { estimatesmartfee: "0.0001" }],
    ["a rate that is none", { estimatesmartfee: { feerate: -1, blocks: 6 } }],
    ["an empty answer of the mempool", { getmempoolinfo: null }]
  ])("rule 16: is unknown, not the configured one, after %s", ([, results]) =>
    Effect.gen(function* () {
      const rate = yield* rateOf(results, { fallbackFeeRate: 7_000n })
      assert.strictEqual(rate._tag, "Failure")
      const sender = yield* senderOn(results, { fallbackFeeRate: 7_000n })
      const estimate = yield* sender.estimate({ from: null, to: ownAddress, contract: null, units: 1n })
      assert.deepStrictEqual(estimate, { fee: null, recipientHoldsAsset: null, assumedWorstCase: false })
    })
  )

  it.live("makes an estimate of a payment from two coins, dearer where the receiver is not known", () =>
    Effect.gen(function* () {
      const sender = yield* senderOn({ estimatesmartfee: { feerate: 0.0001, blocks: 6 } })
      const ask = (to: string | null) => sender.estimate({ from: null, to, contract: null, units: 1n })
      assert.deepStrictEqual(yield* ask(ownAddress), {
        fee: 2_130n,
        recipientHoldsAsset: null,
        assumedWorstCase: false
      })
      assert.deepStrictEqual(yield* ask(null), { fee: 2_250n, recipientHoldsAsset: null, assumedWorstCase: true })
    })
  )
})

const alice = keyOf("alice")
const transaction = signed([{ txid: "11".repeat(32), vout: 0, units: 50_000n }], [{ to: ownAddress, units: 49_000n }])
const txid = transaction.getId()
const trial = (reason: string, details?: string) => ({
  testmempoolaccept: [
    {
      txid,
      allowed: false,
      "reject-reason": reason,
      ...(details === undefined ? {} : { "reject-details": details })
    }
  ]
})
const allowed = { testmempoolaccept: [{ txid, allowed: true, vsize: 110 }] }

describe("a broadcast", () => {
  it.live.each<readonly [string, Readonly<Record<string, unknown>>, string]>([
    ["that the node takes", { ...allowed, sendrawtransaction: txid }, "Accepted"],
    [
      "of what waits already, which it is given again",
      { ...trial("txn-already-in-mempool"), sendrawtransaction: txid },
      "Accepted"
    ],
    ["of what is mined", trial("txn-already-known"), "Accepted"],
    ["of what waits with another witness", trial("txn-same-nonwitness-data-in-mempool"), "Accepted"],
    ["that bids too little", trial("min relay fee not met"), "fee_too_low"],
    [
      "that bids too little to replace another",
      trial("insufficient fee", "insufficient fee, rejecting replacement; not enough additional fees to relay"),
      "fee_too_low"
    ],
    ["that conflicts with what may not be replaced", trial("txn-mempool-conflict"), "guard_used"],
    ["into a mempool that is full", trial("mempool full"), "busy"],
    ["that depends on too many others", trial("too-long-mempool-chain"), "busy"],
    ["of dust", trial("dust"), "invalid"],
    ["with a wrong signature", trial("mempool-script-verify-flag-failed (Invalid signature)"), "invalid"],
    ["of which the node says that it is another one", { ...allowed, sendrawtransaction: "22".repeat(32) }, "Unknown"],
    ["that is answered with nothing", { ...allowed, sendrawtransaction: null }, "Unknown"],
    ["whose trial is answered with nothing", { testmempoolaccept: [] }, "Unknown"],
    ["whose trial is of another one", { testmempoolaccept: [{ txid: "22".repeat(32), allowed: true }] }, "Unknown"]
  ])("%s", ([, results, expected]) =>
    Effect.gen(function* () {
      const sender = yield* senderOn(results)
      const answer = yield* sender.broadcast(transaction.toBuffer())
      assert.strictEqual(answer._tag === "Rejected" ? answer.reason : answer._tag, expected)
    })
  )

  it.live.each<readonly [string, number, string, string]>([
    ["is in a block already", -27, "Transaction outputs already in utxo set", "Accepted"],
    ["bids too little", -26, "insufficient fee, rejecting replacement", "fee_too_low"],
    ["is dust", -26, "dust", "invalid"],
    ["cannot be read", -22, "TX decode failed", "invalid"],
    ["comes while it starts", -28, "Loading block index…", "busy"],
    ["comes to a node that has lost its mind", -1, "internal error", "Unknown"]
  ])("that the node says %s", ([, code, message, expected]) =>
    Effect.gen(function* () {
      const sender = yield* senderOf((call) =>
        call.method === "sendrawtransaction" ? refusal(call, code, message) : answering(allowed)(call)
      )
      const answer = yield* sender.broadcast(transaction.toBuffer())
      assert.strictEqual(answer._tag === "Rejected" ? answer.reason : answer._tag, expected)
    })
  )

  it.live.each<readonly [string, Readonly<Record<string, unknown>>, string]>([
    [
      "waits, which another call said it does not",
      { getmempoolentry: { vsize: 110, fees: { base: 0, descendant: 0 } } },
      "Accepted"
    ],
    ["has lost an input", { gettxout: null }, "guard_used"]
  ])("rule 3: whose inputs are missing is looked up: it %s", ([, results, expected]) =>
    Effect.gen(function* () {
      const sender = yield* senderOf((call) =>
        call.method === "getmempoolentry" && results["getmempoolentry"] === undefined
          ? refusal(call, -5, "Transaction not in mempool")
          : answering({ ...trial("missing-inputs"), ...results })(call)
      )
      const answer = yield* sender.broadcast(transaction.toBuffer())
      assert.strictEqual(answer._tag === "Rejected" ? answer.reason : answer._tag, expected)
    })
  )

  it.live("of bytes that are no transaction asks nobody", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const sender = yield* senderOf((call) => {
        asked.push(call.method)
        return replay(call)
      })
      for (const bytes of [new Uint8Array(), Uint8Array.of(1, 2, 3), transaction.toBuffer().subarray(1)]) {
        assert.deepInclude(yield* sender.broadcast(bytes), { _tag: "Rejected", reason: "invalid" })
      }
      assert.deepStrictEqual(asked, [])
    })
  )
})

describe("whether a receiver can be paid", () => {
  const payment: Payment = { to: ownAddress, contract: null, units: 10_000n, memo: null }
  const p2tr = "bcrt1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqc8gma6"

  it.live.each<readonly [string, Partial<Payment>, string]>([
    ["a usual payment", {}, "Payable"],
    ["an address of the main chain", { to: "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4" }, "address_invalid"],
    ["what is no address", { to: "nobody" }, "address_invalid"],
    [
      "an asset that bitcoin does not have",
      { contract: "0xdac17f958d2ee523a2206206994597c13d831ec7" },
      "address_invalid"
    ],
    ["a memo", { memo: { type: "text", value: "hello" } }, "memo_invalid"],
    ["the least to P2WPKH", { units: 294n }, "Payable"],
    ["less than the least to P2WPKH", { units: 293n }, "below_minimum"],
    ["less than the least to P2TR", { to: p2tr, units: 329n }, "below_minimum"],
    ["the least to P2TR", { to: p2tr, units: 330n }, "Payable"],
    ["less than the least to P2PKH", { to: alice.p2pkh, units: 545n }, "below_minimum"]
  ])("rule 17: %s", ([, parts, expected]) =>
    Effect.gen(function* () {
      const sender = yield* senderOn({})
      const answer = yield* sender.preflight({ ...payment, ...parts })
      assert.strictEqual(answer._tag === "Unpayable" ? answer.code : answer._tag, expected)
      const tooLittle = answer._tag === "Unpayable" && answer.code === "below_minimum" ? answer : undefined
      if (tooLittle !== undefined) assert.strictEqual(tooLittle.minimum, (parts.units ?? 0n) + 1n)
    })
  )
})

describe("a claimed payment in a recorded block", () => {
  const { tx } = recordedResult("getblock", 2)
  const header = recordedResult("getblockheader")
  const place = { txid: tx[1].txid, blockhash: header.hash }
  const prevouts = {
    txid: tx[1].txid,
    vin: tx[1].vin.map(() => ({ prevout: { value: 1, scriptPubKey: { hex: tx[1].vout[0].scriptPubKey.hex } } }))
  }
  const to: string = tx[1].vout[0].scriptPubKey.address
  const other: string = tx[1].vout[1].scriptPubKey.address
  const claim: Claimed = { txHash: tx[1].txid, contract: null, units: 12_345_678n, to: other, senders: [], memo: null }

  const proofOf = (claimed: Partial<Claimed>, results: Readonly<Record<string, unknown>>, confirmations = 1) =>
    Effect.gen(function* () {
      const sender = yield* senderOf(
        (call) => {
          if (call.method === "getrawtransaction" && results["getrawtransaction"] === undefined) {
            return result(call, call.params[1] === 2 ? prevouts : place)
          }
          return answering(results)(call)
        },
        { confirmations }
      )
      const proof = yield* sender.prove({ ...claim, ...claimed })
      return proof.verdict === "PROVEN" ? proof.verdict : `${proof.verdict}: ${proof.reason}`
    })

  it.live.each<readonly [string, Partial<Claimed>, RegExp]>([
    ["is proven", {}, /^PROVEN$/],
    ["is proven by one of several outputs to the receiver", { to, units: 1n }, /^PROVEN$/],
    ["is proven by all outputs to the receiver together", { to, units: 2_787_644_166n }, /^PROVEN$/],
    ["is not proven by some of them", { to, units: 1_000n }, /it pays 1 and 999 and .* satoshi to/],
    ["is proven by its senders", { senders: ["nobody", to] }, /^PROVEN$/],
    ["is not proven of another sender", { senders: [other] }, /it was paid by/],
    ["is not proven of another amount", { units: 12_345_679n }, /12345678 satoshi/],
    ["is not proven of another receiver", { to: ownAddress }, /pays nothing/],
    ["is not proven of nothing", { to: other, units: 0n }, /amount above 0/],
    ["is not proven of another asset", { contract: "0x" }, /no assets/],
    ["is not proven with a memo", { memo: "1" }, /no memo/],
    ["is not proven of what is no hash", { txHash: "abc" }, /not the id/]
  ])("%s", ([, claimed, words]) =>
    Effect.gen(function* () {
      assert.match(yield* proofOf(claimed, {}), words)
    })
  )

  const index = { txindex: { synced: true, best_block_height: header.height } }
  const unknown = (results: Readonly<Record<string, unknown>>) =>
    Effect.gen(function* () {
      const sender = yield* senderOf((call) =>
        call.method === "getrawtransaction"
          ? refusal(call, -5, "No such mempool or blockchain transaction")
          : answering(results)(call)
      )
      const proof = yield* sender.prove(claim)
      return proof.verdict === "PROVEN" ? proof.verdict : `${proof.verdict}: ${proof.reason}`
    })

  it.live("is not denied by a node that does not know it, even with the whole history: it may be on its way", () =>
    Effect.gen(function* () {
      assert.match(yield* unknown({ getindexinfo: index }), /^UNREADABLE: .*on its way/)
      assert.match(yield* unknown({ getindexinfo: {} }), /^UNREADABLE: .*no index/)
      const late = { txindex: { synced: false, best_block_height: header.height } }
      assert.match(yield* unknown({ getindexinfo: late }), /^UNREADABLE: .*not complete/)
      const low = { txindex: { synced: true, best_block_height: header.height - 1 } }
      assert.match(yield* unknown({ getindexinfo: low }), /^UNREADABLE: .*not complete/)
      assert.match(yield* unknown({ getindexinfo: null }), /^UNREADABLE/)
    })
  )

  it.live("is not proven before it is final, nor while it waits", () =>
    Effect.gen(function* () {
      assert.match(yield* proofOf({}, {}, 2), /^NOT_FINAL: it is not final: it has 1 of 2/)
      assert.match(
        yield* proofOf({}, { getrawtransaction: { txid: place.txid } }),
        /^UNREADABLE: it is not in a block yet/
      )
    })
  )

  it.live("rule 8: is unreadable where the node cannot be asked about all of the chain", () =>
    Effect.gen(function* () {
      const info = recordedResult("getblockchaininfo")
      for (const results of [
        { getblockchaininfo: { ...info, headers: info.blocks + 1 } },
        { getblockchaininfo: { ...info, chain: "main" } },
        { getblockchaininfo: null },
        { getrawtransaction: null },
        { getblock: null }
      ]) {
        assert.match(yield* proofOf({}, results), /^UNREADABLE: /)
      }
    })
  )

  it.effect("is unreadable where the newest block is older than it may be", () =>
    Effect.gen(function* () {
      const sender = yield* senderOf(answering({ getrawtransaction: place }), { tipAgeMsMax: 1_000, confirmations: 1 })
      yield* TestClock.setTime(header.time * 1000 + 1_000)
      assert.strictEqual((yield* sender.prove(claim)).verdict, "PROVEN")
      yield* TestClock.setTime(header.time * 1000 + 1_001)
      assert.strictEqual((yield* sender.prove(claim)).verdict, "UNREADABLE")
    })
  )
})

describe("makeBitcoinSender", () => {
  const rpcUrl = Redacted.make("http://user:password@127.0.0.1:1")

  it.each<readonly [string, Partial<BitcoinSenderOptions>]>([
    ["no confirmations", { confirmations: 0 }],
    ["no confirmations of conflicts", { conflictConfirmations: 0 }],
    ["no cap", { feeRateMax: 0n }],
    ["no fallback", { fallbackFeeRate: 0n }],
    ["a fallback above the cap", { fallbackFeeRate: 2_000n, feeRateMax: 1_000n }],
    ["no payments", { paymentsMax: 0 }],
    ["no time to replace", { replaceAfterMs: 0 }]
  ])("throws on %s", (_, options) => {
    assert.throws(() => makeBitcoinSender({ rpcUrl, chain: "regtest", ...options }))
  })

  it("says what holds of bitcoin", () => {
    const sender = makeBitcoinSender({ rpcUrl, chain: "regtest", replaceAfterMs: null, paymentsMax: 7 })
    assert.deepInclude(sender, { network: "bitcoin", replaceAfterMs: null, paymentsMax: 7 })
  })

  it.live("has no counter of an account's transactions", () =>
    Effect.gen(function* () {
      const sender = makeBitcoinSender({ rpcUrl, chain: "regtest" })
      assert.isNull(yield* sender.firstSequence(ownAddress))
    })
  )

  it.live("keeps the password of the node out of what it says", () =>
    Effect.gen(function* () {
      const sender = makeBitcoinSender({ rpcUrl, chain: "regtest", timeoutMs: 2_000 })
      const answer = yield* sender.broadcast(transaction.toBuffer())
      assert.strictEqual(answer._tag, "Unknown")
      const answers = [
        answer,
        yield* Effect.flip(sender.balance(ownAddress, null)),
        yield* sender.prove({ txHash: txid, contract: null, units: 1n, to: ownAddress, senders: [], memo: null })
      ]
      for (const each of answers) assert.notInclude(JSON.stringify(each), "password")
    })
  )
})
