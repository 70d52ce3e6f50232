import { address as codec, networks, type Transaction } from "bitcoinjs-lib"
import { Effect } from "effect"
import type { Recorder } from "./Recorder.ts"
import { hex, scripts, toHex } from "./wallet.ts"

const genesisCoinbase = "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b"
const verbosities = [0, 1, 2, 3]

/** The id of no block and no transaction. */
export const unknown = "ee".repeat(32)

/** What the readers and the sender ask of a block, of the one that matures in it, and of where the node stands. */
export const askOfBlock = Effect.fnUntraced(function* ({ ask, quietly }: Recorder, hash: string) {
  const { height } = yield* quietly<{ readonly height: number }>("getblockheader", hash)
  for (const verbose of [true, false]) yield* ask("getblockheader", hash, verbose)
  for (const verbosity of verbosities) yield* ask("getblock", hash, verbosity)
  yield* ask("getblockhash", height)
  const matured = height - 99
  if (matured < 1) return
  const mined = yield* quietly<string>("getblockhash", matured)
  yield* ask("getblockhash", matured)
  yield* ask("getblockheader", mined, true)
  yield* ask("getblock", mined, 0)
})

/** What is asked of the node itself, its mempool and its unspent outputs. */
export const askOfNode = Effect.fnUntraced(function* ({ ask }: Recorder) {
  for (const method of ["getblockchaininfo", "getblockcount", "getbestblockhash", "getchaintips", "getindexinfo"]) {
    yield* ask(method)
  }
  yield* ask("getindexinfo", "no such index")
  yield* ask("getmempoolinfo")
  for (const params of [[false], [true], [false, true]]) yield* ask("getrawmempool", ...params)
  yield* ask("estimatesmartfee", 6, "economical")
  const [legacy, nested] = [scripts.p2pkh, scripts.p2sh]
  const descriptors = [
    `raw(${toHex(legacy)})`,
    `addr(${codec.fromOutputScript(nested, networks.regtest)})`,
    `raw(${toHex(scripts.p2tr)})`
  ]
  yield* ask("scantxoutset", "start", descriptors)
})

/** What is asked of a transaction, which may be in a block. */
export const askOfTransaction = Effect.fnUntraced(function* (
  { ask }: Recorder,
  made: Transaction,
  block: string | undefined
) {
  const txid = made.getId()
  const places = block === undefined ? [[]] : [[], [block]]
  for (const place of places) {
    for (const verbosity of [false, true, 2]) yield* ask("getrawtransaction", txid, verbosity, ...place)
  }
  yield* ask("getmempoolentry", txid)
  yield* ask("gettxspendingprevout", [{ txid, vout: 0 }])
  for (const vout of made.outs.keys()) yield* ask("gettxout", txid, vout, false)
  for (const vout of made.outs.keys()) yield* ask("gettxout", txid, vout, true)
})

/** Questions that are wrong, or about what there is not. */
export const askForMistakes = Effect.fnUntraced(function* ({ ask }: Recorder) {
  const short = "ee".repeat(31)
  const odd = "zz".repeat(32)
  for (const hash of [unknown, short, odd, 1, null, [], {}, true]) {
    yield* ask("getblockheader", hash, true)
    yield* ask("getblock", hash, 0)
    yield* ask("getrawtransaction", hash, true)
    yield* ask("getrawtransaction", unknown, true, hash)
    yield* ask("getmempoolentry", hash)
    yield* ask("gettxout", hash, 0, false)
  }
  for (const number of [1_000_000, -1, 1.5, "1", null]) yield* ask("getblockhash", number)
  yield* ask("gettxout", unknown, "0", false)
  yield* ask("gettxout", unknown, 0, "false")
  yield* ask("gettxspendingprevout", [{ txid: unknown, vout: 0 }])
  yield* ask("gettxspendingprevout", [{ txid: unknown }])
  yield* ask("gettxspendingprevout", [{ txid: short, vout: 0 }])
  yield* ask("gettxspendingprevout", [{ txid: unknown, vout: -1 }])
  yield* ask("gettxspendingprevout", [])
  for (const target of [0, 1_009, "6"]) yield* ask("estimatesmartfee", target)
  yield* ask("scantxoutset", "status")
  yield* ask("scantxoutset", "abort")
  yield* ask("scantxoutset", "other")
  yield* ask("scantxoutset", "start", ["addr(x)"])
  yield* ask("scantxoutset", "start", ["other(00)"])
  yield* ask("nosuchmethod")
  yield* ask("getblockhash")
  yield* ask("getblockcount", 1)
  yield* ask("getrawtransaction", genesisCoinbase, true)
})

/** Addresses of every kind, and what is none. */
export const askForAddresses = Effect.fnUntraced(function* ({ ask }: Recorder) {
  const owned = Object.values(scripts).map((script) => codec.fromOutputScript(script, networks.regtest))
  const segwit = [codec.toBech32(hex("5a".repeat(32)), 0, "bcrt"), codec.toBech32(hex("4e73"), 1, "bcrt")]
  const future = codec.toBech32(hex("5a5a"), 2, "bcrt")
  const wrong = [
    "bcrt1qqqqqq",
    codec.toBech32(hex("5a".repeat(20)), 0, "bc"),
    "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",
    "x",
    ""
  ]
  for (const address of [...owned, ...segwit, future, ...wrong]) yield* ask("validateaddress", address)
})
