import { type BitcoinSenderOptions, makeBitcoinReader, makeBitcoinSender, makeMempoolReader } from "@bursar/bitcoin"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import * as wire from "../src/internal/rpc/wire.ts"
import { fakeNode } from "./support/FakeNode.ts"
import { answerOf, askedIn, type Phase, phaseOf, playing, recording } from "./support/recorded.ts"

const transactions = recording("transactions")
const states = recording("states")

/** What a block or a transaction says of its outputs in the node's own words. */
interface Told {
  readonly txid: string
  readonly vin: ReadonlyArray<{ readonly coinbase?: string }>
  readonly vout: ReadonlyArray<{
    readonly n: number
    readonly value: number
    readonly scriptPubKey: { readonly address?: string; readonly type: string }
  }>
}

interface ToldBlock {
  readonly hash: string
  readonly height: number
  readonly tx: ReadonlyArray<Told>
}

/** The blocks of a phase that were told of with all that they hold. */
const blocksIn = (phase: Phase): ReadonlyArray<ToldBlock> =>
  askedIn(phase)
    .filter(({ method, params, result }) => method === "getblock" && params[1] === 2 && result !== undefined)
    // `getblock` of verbosity 2 answers so.
    .map(({ result }) => result as ToldBlock)

const [mined] = blocksIn(phaseOf(transactions, "mined"))
const [lost] = blocksIn(phaseOf(transactions, "confirmed"))
if (mined === undefined || lost === undefined) throw new Error("the recording has no blocks")

const served = (phase: Phase, options: Partial<BitcoinSenderOptions> = {}) =>
  Effect.map(fakeNode(playing(phase)), ({ url }) => {
    const both = { rpcUrl: Redacted.make(url), chain: "regtest", ...options } as const
    return { chain: makeBitcoinReader(both), mempool: makeMempoolReader(both), sender: makeBitcoinSender(both) }
  })

/** What a node's refusal of a transaction means to the sender, by its words up to the details. */
const meanings = {
  taken: "Accepted",
  "Transaction outputs already in utxo set": "Accepted",
  "bad-txns-inputs-missingorspent": "guard_used",
  "insufficient fee": "fee_too_low",
  "min relay fee not met": "fee_too_low",
  "non-final": "busy",
  "non-BIP68-final": "busy",
  "bad-txns-in-belowout": "invalid",
  "bad-txns-premature-spend-of-coinbase": "invalid",
  "dust-nonanchor": "invalid",
  "mempool-script-verify-flag-failed": "invalid",
  "multi-op-return": "invalid",
  scriptpubkey: "invalid",
  "Unspendable output exceeds maximum configured by user": "invalid"
}

/** Kinds of outputs that have an address nobody can be told to pay to: what pays there is no deposit. */
const withoutOwner = new Set(["anchor", "witness_unknown"])

describe(`what ${transactions.origin.client} answered when it was recorded`, () => {
  it.live(
    "a block of outputs of every kind has a transfer for each address, to the satoshi, and for nothing else",
    () =>
      Effect.gen(function* () {
        const { chain } = yield* served(phaseOf(transactions, "mined"))
        const block = yield* chain.block(mined.hash)
        const expected = mined.tx
          .filter(({ vin }) => vin[0]?.coinbase === undefined)
          .flatMap(({ txid, vout }) =>
            vout.flatMap(({ n, scriptPubKey: { address, type }, value }) =>
              address === undefined || value === 0 || withoutOwner.has(type)
                ? []
                : [{ txHash: txid, transferIndex: n, to: address, units: wire.satoshi(value) }]
            )
          )
        const kinds = new Set(mined.tx.flatMap(({ vout }) => vout.map(({ scriptPubKey }) => scriptPubKey.type)))
        assert.isAtLeast(kinds.size, 11)
        const own = block.transfers.filter(({ txHash }) => mined.tx.some(({ txid }) => txid === txHash))
        assert.deepStrictEqual(
          own.map(({ to, transferIndex, txHash, units }) => ({ txHash, transferIndex, to, units })),
          expected
        )
        // The coinbase of the hundredth block back pays its miner now.
        assert.lengthOf(block.transfers, expected.length + 1)
      })
  )

  it.live("a block that was replaced, one that nobody knows, and a height beyond the tip are absent", () =>
    Effect.gen(function* () {
      for (const name of ["lost", "replaced"]) {
        const { chain } = yield* served(phaseOf(transactions, name))
        assert.strictEqual((yield* Effect.flip(chain.block(lost.hash))).reason, "absent")
      }
      const { chain } = yield* served(phaseOf(transactions, "empty"))
      assert.strictEqual((yield* Effect.flip(chain.block("ee".repeat(32)))).reason, "absent")
      assert.strictEqual((yield* Effect.flip(chain.header(1_000_000))).reason, "absent")
    })
  )

  it.live("the mempool has what waits, and what a reorganisation has put back", () =>
    Effect.gen(function* () {
      for (const name of ["waiting", "lost"]) {
        const phase = phaseOf(transactions, name)
        const { mempool } = yield* served(phase)
        const waiting = answerOf(phase, "getrawmempool", false).result as ReadonlyArray<string>
        const { transfers } = yield* mempool.changes
        assert.lengthOf(waiting, 2)
        assert.deepStrictEqual(new Set(transfers.map(({ txHash }) => txHash)), new Set(waiting))
      }
    })
  )

  it.live("a payment is proven by the block that holds it, and not by one that was replaced", () =>
    Effect.gen(function* () {
      const [, parent] = lost.tx
      const [output] = parent?.vout ?? []
      if (parent === undefined || output === undefined) return assert.fail("the block holds no payment")
      const to = output.scriptPubKey.address ?? ""
      const senders = (blocksIn(phaseOf(transactions, "mined"))[0]?.tx[1]?.vout ?? [])
        .slice(0, 4)
        .map(({ scriptPubKey }) => scriptPubKey.address ?? "")
      const claimed = {
        txHash: parent.txid,
        contract: null,
        units: wire.satoshi(output.value),
        to,
        senders,
        memo: null
      }
      const proofIn = Effect.fnUntraced(function* (name: string) {
        const { sender } = yield* served(phaseOf(transactions, name), { confirmations: 1 })
        return yield* sender.prove(claimed)
      })
      assert.strictEqual((yield* proofIn("confirmed")).verdict, "PROVEN")
      assert.deepInclude(yield* proofIn("lost"), { verdict: "UNREADABLE" })
      assert.deepInclude(yield* proofIn("replaced"), { verdict: "UNREADABLE" })
    })
  )

  it.live("refusals of a transaction are understood, whatever the words", () =>
    Effect.gen(function* () {
      const found: Record<string, string> = {}
      for (const name of ["waiting", "repeated", "confirmed long ago", "replaced"]) {
        const phase = phaseOf(transactions, name)
        const { sender } = yield* served(phase)
        for (const { error, method, params } of askedIn(phase)) {
          if (method !== "sendrawtransaction" || params[1] !== 0) continue
          const answer = yield* sender.broadcast(Uint8Array.from(Buffer.from(String(params[0]), "hex")))
          const meaning = answer._tag === "Rejected" ? answer.reason : answer._tag
          const words = (error?.message ?? "taken").replace(/[,;(].*/su, "").trim()
          assert.strictEqual(found[words] ?? meaning, meaning, words)
          found[words] = meaning
        }
      }
      assert.deepStrictEqual(found, meanings)
    })
  )

  it.live("every answer that the sender reads has the form that it expects", () =>
    Effect.gen(function* () {
      const forms: ReadonlyArray<
        readonly [string, (params: ReadonlyArray<unknown>) => boolean, Schema.Decoder<unknown>]
      > = [
        ["getblockchaininfo", () => true, wire.ChainInfo],
        ["getblockheader", ([, verbose]) => verbose === true, wire.VerboseHeader],
        ["getblock", ([, verbosity]) => verbosity === 0, wire.Hex],
        ["getblockhash", () => true, wire.Hash],
        ["gettxout", () => true, Schema.NullOr(wire.UnspentOutput)],
        ["getmempoolinfo", () => true, wire.MempoolInfo],
        ["getmempoolinfo", () => true, wire.MempoolFees],
        ["getmempoolentry", () => true, wire.MempoolEntry],
        ["getrawmempool", ([verbose, ...more]) => verbose === false && more.length === 0, wire.RawMempool],
        ["gettxspendingprevout", () => true, wire.SpendingAnswer],
        ["testmempoolaccept", () => true, wire.AcceptAnswer],
        ["scantxoutset", ([action]) => action === "start", wire.ScanAnswer],
        ["getrawtransaction", ([, verbosity]) => verbosity === true, wire.TransactionPlace],
        ["getrawtransaction", ([, verbosity]) => verbosity === 2, wire.TransactionInputs],
        ["getindexinfo", () => true, wire.IndexInfo],
        ["estimatesmartfee", () => true, wire.FeeEstimateAnswer]
      ]
      const all = [...transactions.phases, ...states.phases].flatMap(askedIn)
      for (const [method, fits, form] of forms) {
        const results = all.filter((asked) => asked.method === method && "result" in asked && fits(asked.params))
        assert.isNotEmpty(results, method)
        for (const { result } of results) yield* Schema.decodeUnknownEffect(form)(result)
      }
    })
  )
})

describe(`what ${states.origin.client} answered in states of its own`, () => {
  it.live("a node that is not ready yet has not answered", () =>
    Effect.gen(function* () {
      const phase = phaseOf(states, "warming up")
      const { chain } = yield* served(phase)
      assert.isNotEmpty(phase.steps)
      assert.strictEqual((yield* Effect.flip(chain.tip)).reason, "unreachable")
    })
  )

  it.live("a block that a pruned node has forgotten is absent, for its header alone says whether it was replaced", () =>
    Effect.gen(function* () {
      const phase = phaseOf(states, "pruned")
      const { chain } = yield* served(phase)
      const forgotten = answerOf(phase, "getblockheader", ...(askedIn(phase)[2]?.params ?? []))
      const error = yield* Effect.flip(chain.block(String(forgotten.params[0])))
      assert.strictEqual(error.reason, "absent")
      assert.include(error.detail, "pruned data")
    })
  )

  it.live("an estimate of fees is taken as it is, and where there is none the fallback counts", () =>
    Effect.gen(function* () {
      const estimated = phaseOf(states, "estimated")
      const { feerate } = answerOf(estimated, "estimatesmartfee", 6, "economical").result as {
        readonly feerate: number
      }
      const { sender } = yield* served(estimated, { fallbackFeeRate: 1_234n })
      assert.strictEqual(yield* sender.feeRate, wire.satoshi(feerate))
      const { sender: other } = yield* served(phaseOf(transactions, "empty"), { fallbackFeeRate: 1_234n })
      assert.strictEqual(yield* other.feeRate, 1_234n)
    })
  )
})
