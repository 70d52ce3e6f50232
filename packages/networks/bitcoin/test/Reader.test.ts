import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { type BitcoinReaderOptions, makeBitcoinReader } from "@bursar/bitcoin"
import {
  type Answer,
  type Call,
  fakeNode,
  recordedResult,
  refusal,
  replay as recorded,
  result
} from "./support/FakeNode.ts"
import { mined, type Paid, replayWith } from "./support/mined.ts"

const header = recordedResult("getblockheader")
const rawBlock: string = recordedResult("getblock", 0)

/** The recorded node; the coinbase that matures in its newest block pays nobody. */
const maturing = header.height - 99
const replay = replayWith(mined(maturing, [{ script: "6a", units: 0n }]))

const chainOf = (answer: (call: Call) => Answer, options?: Partial<BitcoinReaderOptions>) =>
  Effect.map(fakeNode(answer), ({ url }) =>
    makeBitcoinReader({ rpcUrl: Redacted.make(url), chain: "regtest", ...options })
  )

/** The recorded node, but for the answers to one method. */
const except = (method: string, answer: (call: Call) => Answer) => (call: Call) =>
  call.method === method ? answer(call) : replay(call)

const blockOf = (answer: (call: Call) => Answer) =>
  Effect.flatMap(chainOf(answer), (chain) => Effect.flip(chain.block(header.hash)))

describe("a block as a real node gave it", () => {
  it.live("has a transfer for each output that pays an address, exact to the satoshi", () =>
    Effect.gen(function* () {
      const chain = yield* chainOf(replay)
      const block = yield* chain.block(header.hash)
      const { tx } = recordedResult("getblock", 2)
      assert.deepStrictEqual(
        block.transfers.map(({ to, transferIndex, units }) => [transferIndex, units, to.slice(0, 7)]),
        [
          [0, 1n, "bcrt1q5"],
          [1, 12_345_678n, "mvSvTtv"],
          [2, 100_000_001n, "2MwJZGr"],
          [3, 7n, "bcrt1qv"],
          [4, 2_100_000_000n, "bcrt1pw"],
          [5, 999n, "bcrt1q5"],
          [16, 2_787_643_166n, "bcrt1q5"]
        ]
      )
      for (const transfer of block.transfers) {
        assert.strictEqual(transfer.txHash, tx[1].txid)
        assert.strictEqual(transfer.to, tx[1].vout[transfer.transferIndex].scriptPubKey.address)
        assert.isNull(transfer.contract)
        assert.isNull(transfer.from)
      }
    })
  )

  it.live("has nothing of what its own coinbase pays", () =>
    Effect.gen(function* () {
      const { transfers } = yield* (yield* chainOf(replay)).block(header.hash)
      const { tx } = recordedResult("getblock", 2)
      assert.isDefined(tx[0].vout[0].scriptPubKey.address)
      assert.notInclude(
        transfers.map(({ txHash }) => txHash),
        tx[0].txid
      )
    })
  )

  it.live("has the header of its height", () =>
    Effect.gen(function* () {
      const chain = yield* chainOf(replay)
      const { transfers: _, ...ref } = yield* chain.block(header.hash)
      assert.deepStrictEqual(ref, {
        number: header.height,
        hash: header.hash,
        parentHash: header.previousblockhash,
        time: header.time * 1000
      })
      assert.deepStrictEqual(yield* chain.header(header.height), ref)
      assert.deepStrictEqual(yield* chain.tip, { latest: ref, confirmed: header.height - 2 })
    })
  )
})

describe("what mining pays", () => {
  const paid: ReadonlyArray<Paid> = [
    { script: `0014${"ab".repeat(20)}`, units: 5_000_000_000n },
    // A bare key, a commitment and an output of nothing pay no address.
    { script: `21${"02".repeat(33)}ac`, units: 7n },
    { script: `6a24aa21a9ed${"00".repeat(32)}`, units: 0n },
    { script: `76a914${"cd".repeat(20)}88ac`, units: 12n }
  ]
  const earned = mined(maturing, paid)

  it.live("is in the block of its hundredth confirmation, under the id of the coinbase", () =>
    Effect.gen(function* () {
      const before = yield* (yield* chainOf(replay)).block(header.hash)
      const { transfers } = yield* (yield* chainOf(replayWith(earned))).block(header.hash)
      assert.deepStrictEqual(transfers.slice(0, before.transfers.length), before.transfers)
      assert.deepStrictEqual(
        transfers
          .slice(before.transfers.length)
          .map(({ transferIndex, txHash, units }) => [txHash, transferIndex, units]),
        [
          [earned.txid, 0, 5_000_000_000n],
          [earned.txid, 3, 12n]
        ]
      )
    })
  )

  it.live("is not in the block that mined it, and is read but once where blocks are read in order", () =>
    Effect.gen(function* () {
      const calls: Array<string> = []
      const chain = yield* chainOf((call) => {
        calls.push(`${call.method} ${String(call.params[0])}`)
        return replayWith(earned)(call)
      })
      assert.deepStrictEqual((yield* chain.block(earned.hash)).transfers, [])
      assert.lengthOf(
        (yield* chain.block(header.hash)).transfers.filter(({ txHash }) => txHash === earned.txid),
        2
      )
      assert.lengthOf(
        calls.filter((call) => call === `getblock ${earned.hash}`),
        1
      )
    })
  )

  it.live("keeps a block from being read while it cannot be told, or is another's", () =>
    Effect.gen(function* () {
      const other = mined(maturing - 1, paid)
      const cases: ReadonlyArray<readonly [(call: Call) => Answer, string]> = [
        [recorded, "unreachable"],
        [
          (call) => (call.method === "getblockhash" ? refusal(call, -8, "Block height out of range") : recorded(call)),
          "absent"
        ],
        [
          (call) => (call.method === "getblockhash" ? result(call, other.hash) : replayWith(other)(call)),
          "inconsistent"
        ],
        [
          (call) =>
            call.method === "getblock" && call.params[0] === earned.hash
              ? result(call, earned.raw.replace("ab".repeat(20), "ac".repeat(20)))
              : replayWith(earned)(call),
          "inconsistent"
        ]
      ]
      for (const [answer, reason] of cases) assert.strictEqual((yield* blockOf(answer)).reason, reason)
    })
  )
})

describe("scripts of any kind", () => {
  it.live("pay whom they pay, and keep no block from being read", () =>
    Effect.gen(function* () {
      const odd = [
        "",
        "00",
        "51",
        "6a",
        "ff",
        "4e",
        "4effffffff",
        "0014",
        `0014${"ab".repeat(19)}`,
        `0015${"ab".repeat(21)}`
      ]
      const long = [
        `6a4d${"00".repeat(9_000)}`,
        "ac".repeat(10_001),
        `6028${"ab".repeat(40)}`,
        `5120${"ff".repeat(32)}`
      ]
      const scripts = [...odd, ...long, `0014${"ab".repeat(20)}`]
      const block = mined(
        maturing,
        scripts.map((script) => ({ script, units: 1n }))
      )
      const { transfers } = yield* (yield* chainOf(replayWith(block))).block(header.hash)
      const found = transfers.filter(({ txHash }) => txHash === block.txid)
      assert.deepStrictEqual(
        found.map(({ transferIndex }) => transferIndex),
        [scripts.length - 2, scripts.length - 1]
      )
    })
  )
})

describe("a node that is not to be believed", () => {
  const changed = (change: Record<string, unknown>) =>
    blockOf(except("getblockheader", (call) => result(call, { ...header, ...change })))

  it.live("is caught by the hash of the header, whatever field it changes", () =>
    Effect.gen(function* () {
      for (const change of [
        { time: header.time + 1 },
        { nonce: header.nonce + 1 },
        { merkleroot: "11".repeat(32) },
        { previousblockhash: "11".repeat(32) },
        { version: 1 },
        { bits: "207ffffe" },
        { hash: "11".repeat(32) }
      ]) {
        assert.strictEqual((yield* changed(change)).reason, "inconsistent", JSON.stringify(change))
      }
    })
  )

  it.live("is caught by the count of transactions and by a height without a parent", () =>
    Effect.gen(function* () {
      assert.match((yield* changed({ nTx: 3 })).detail, /2 transactions, but the header says 3/u)
      assert.match((yield* changed({ height: 0 })).detail, /no parent/u)
    })
  )

  it.live("says that a block is not in its main chain: absent, though it still has it", () =>
    Effect.gen(function* () {
      for (const confirmations of [-1, 0]) {
        const error = yield* changed({ confirmations })
        assert.strictEqual(error.reason, "absent")
        assert.match(error.detail, /main chain/u)
      }
    })
  )

  it.live("is caught when a single bit of the block differs", () =>
    Effect.gen(function* () {
      // The last byte of the first amount, the witness, the header, and a cut.
      const amountAt = rawBlock.indexOf("0100000000000000160014")
      const spoilt = [
        `${rawBlock.slice(0, amountAt)}02${rawBlock.slice(amountAt + 2)}`,
        `${rawBlock.slice(0, -12)}1${rawBlock.slice(-11)}`,
        `${rawBlock[0] === "0" ? "1" : "0"}${rawBlock.slice(1)}`,
        rawBlock.slice(0, -2),
        rawBlock.slice(0, 160)
      ]
      for (const raw of spoilt) {
        assert.notStrictEqual(raw, rawBlock)
        assert.strictEqual((yield* blockOf(except("getblock", (call) => result(call, raw)))).reason, "inconsistent")
      }
    })
  )

  it.live("answers with things of another type", () =>
    Effect.gen(function* () {
      for (const method of ["getblockheader", "getblock", "getblockhash"]) {
        for (const value of [{}, [], "zz", 7, true]) {
          const { reason } = yield* blockOf(except(method, (call) => result(call, value)))
          assert.strictEqual(reason, "inconsistent")
        }
        assert.strictEqual((yield* blockOf(except(method, (call) => result(call, null)))).reason, "absent")
      }
    })
  )

  it.live("answers another question", () =>
    Effect.gen(function* () {
      const { detail, reason } = yield* blockOf((call) => result({ ...call, id: 99 }, header))
      assert.deepStrictEqual([reason, detail], ["inconsistent", "the answer belongs to another question"])
    })
  )
})

describe("a node that refuses", () => {
  const codes: ReadonlyArray<readonly [number, string, string]> = [
    [-5, "Block not found", "absent"],
    [-1, "Block not available (pruned data)", "absent"],
    [-1, "Block not available (not fully downloaded)", "absent"],
    [-1, "Block not available", "absent"],
    [-1, "Block data is corrupt", "unreachable"],
    [-28, "Loading block index…", "unreachable"],
    [-32601, "Method not found", "unreachable"]
  ]
  for (const [code, message, reason] of codes) {
    it.live(`is ${reason} for ${code} ${message}`, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* blockOf((call) => refusal(call, code, message))).reason, reason)
      })
    )
  }

  it.live("has no block above its tip", () =>
    Effect.gen(function* () {
      const chain = yield* chainOf((call) => refusal(call, -8, "Block height out of range"))
      assert.strictEqual((yield* Effect.flip(chain.header(999_999))).reason, "absent")
    })
  )

  it.live("is unreachable when it does not take the password, and the password is not repeated", () =>
    Effect.gen(function* () {
      const chain = yield* chainOf(() => ({ status: 401, text: "" }))
      const error = yield* Effect.flip(chain.tip)
      assert.strictEqual(error.reason, "unreachable")
      assert.match(error.detail, /401/u)
    })
  )
})

describe("the configuration", () => {
  it.live("sends user and password in a header, decoded", () =>
    Effect.gen(function* () {
      const { authorizations, url } = yield* fakeNode(replay)
      yield* makeBitcoinReader({ rpcUrl: Redacted.make(url), chain: "regtest" }).verifyChain
      assert.deepStrictEqual(authorizations, [`Basic ${Buffer.from("user:pass/word").toString("base64")}`])
    })
  )

  it.live("never shows user and password in an error", () =>
    Effect.gen(function* () {
      const seen = yield* chainOf((call) => refusal(call, -1, "no pass/word nor pass%2Fword here"))
      const { detail } = yield* Effect.flip(seen.tip)
      assert.notMatch(detail, /pass(?:\/|%2F)word/u)
      assert.match(detail, /redacted/u)
    })
  )

  it.live("is refused by a node of another chain, at start and at every tip", () =>
    Effect.gen(function* () {
      const chain = yield* chainOf(replay, { chain: "main" })
      for (const error of [yield* Effect.flip(chain.verifyChain), yield* Effect.flip(chain.tip)]) {
        assert.strictEqual(error.reason, "other_chain")
        assert.match(error.detail, /chain regtest, but main is configured/u)
      }
    })
  )

  it("takes whole numbers only, and an http address", () => {
    const rpcUrl = Redacted.make("http://127.0.0.1")
    for (const bad of [0, -1, 0.5]) {
      for (const name of ["confirmations", "pollIntervalMs", "timeoutMs", "callsMax"]) {
        assert.throws(() => makeBitcoinReader({ rpcUrl, chain: "main", [name]: bad }), new RegExp(name, "u"))
      }
    }
    const secret = "tcp://user:hunter2@host"
    assert.throws(() => makeBitcoinReader({ rpcUrl: Redacted.make(secret), chain: "main" }), /^(?!.*hunter2)/u)
  })

  it("asks for three confirmations unless told otherwise", () => {
    const rpcUrl = Redacted.make("http://127.0.0.1")
    assert.strictEqual(makeBitcoinReader({ rpcUrl, chain: "main" }).requiredConfirmations, 3)
    const deep = makeBitcoinReader({ rpcUrl, chain: "main", confirmations: 200 })
    assert.deepStrictEqual([deep.requiredConfirmations, deep.reorgDepthMax], [200, 200])
  })
})
