import { amount, amountText, rawNumber, toHex, unshown } from "../bytes.ts"
import type { Coin, StoredBlock } from "../ChainState.ts"
import { type MempoolEntry, missingInputs } from "../Mempool.ts"
import { Rejection } from "../Rejection.ts"
import { codes, RpcError } from "../RpcError.ts"
import { addressOf, isBase58Check, kindOf, scriptJson, scriptOf } from "../scripts.ts"
import { decodeTx, outpoint, type Tx } from "../Tx.ts"
import { txJson } from "./json.ts"
import type { Context, Method } from "./Method.ts"
import { amountOf, boolOf, hashOf, listOf, numberOf, textOf, verbosityOf } from "./parameters.ts"

const decodeFailed = "TX decode failed. Make sure the tx has at least one input."
const unknownTransaction = "No such mempool or blockchain transaction. Use gettransaction for wallet transactions."
const genesisCoinbase = "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b"
const feeRateMaxDefault = 10_000_000n

const txOf = (hex: string, message = decodeFailed): Tx => {
  const tx = decodeTx(hex)
  if (tx === undefined) throw new RpcError(codes.deserialization, message)
  return tx
}

const isAboveRate = ({ fee, vsize }: MempoolEntry, feeRateMax: bigint): boolean =>
  feeRateMax > 0n && fee * 1_000n > feeRateMax * BigInt(vsize)

/** Takes a transaction, in the order of Bitcoin Core's `BroadcastTransaction`. */
const send = ({ node, now }: Context, params: ReadonlyArray<unknown>): string => {
  const tx = txOf(textOf({ params, at: 0, name: "hexstring" }))
  const feeRateMax = amountOf({ params, at: 1, name: "maxfeerate" }, feeRateMaxDefault)
  const burnMax = amountOf({ params, at: 2, name: "maxburnamount" }, 0n)
  if (tx.transaction.outs.some(({ script, value }) => script[0] === 0x6a && value > burnMax)) {
    throw new RpcError(codes.verify, "Unspendable output exceeds maximum configured by user (maxburnamount)")
  }
  if (tx.transaction.outs.some((_, vout) => node.chain.coins.has(outpoint(tx.txid, vout)))) {
    throw new RpcError(codes.alreadyInUtxoSet, "Transaction outputs already in utxo set")
  }
  if (node.mempool.entries.has(tx.txid)) return tx.txid
  try {
    if (isAboveRate(node.mempool.judge(tx, now).entry, feeRateMax)) {
      const message = "Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)"
      throw new RpcError(codes.verify, message)
    }
    return node.mempool.accept(tx, now).txid
  } catch (error) {
    if (!(error instanceof Rejection)) throw error
    if (error.reason === missingInputs) throw new RpcError(codes.verify, "bad-txns-inputs-missingorspent")
    throw new RpcError(codes.rejected, error.details)
  }
}

const judged = ({ node, now }: Context, hex: unknown, feeRateMax: bigint) => {
  const text = typeof hex === "string" ? hex : ""
  const tx = txOf(text, `TX decode failed: ${text} Make sure the tx has at least one input.`)
  const ids = { txid: tx.txid, wtxid: tx.wtxid }
  try {
    const { entry } = node.mempool.judge(tx, now)
    if (isAboveRate(entry, feeRateMax)) return { ...ids, allowed: false, "reject-reason": "max-fee-exceeded" }
    const rate = amountText((entry.fee * 1_000n) / BigInt(entry.vsize))
    const fees = { base: amount(entry.fee), "effective-feerate": rawNumber(rate), "effective-includes": [tx.wtxid] }
    return { ...ids, allowed: true, vsize: tx.vsize, fees }
  } catch (error) {
    if (!(error instanceof Rejection)) throw error
    const details = error.reason === missingInputs ? {} : { "reject-details": error.details }
    return { ...ids, allowed: false, "reject-reason": error.reason, ...details }
  }
}

const located = (context: Context, txid: string, params: ReadonlyArray<unknown>) => {
  if (params[2] === undefined || params[2] === null) {
    const waiting = context.node.mempool.entries.get(txid)
    const block = waiting === undefined ? context.node.chain.index.get(txid) : undefined
    return { block: block !== undefined && context.block(block.hash) !== undefined ? block : undefined, waiting }
  }
  const block = context.block(hashOf({ params, at: 2, name: "blockhash" }, "parameter 3"))
  if (block === undefined) throw new RpcError(codes.invalidAddressOrKey, "Block hash not found")
  return { block, waiting: undefined, asked: true }
}

const placeOf = ({ isActive, tip }: Context, block: StoredBlock | undefined) => {
  if (block === undefined) return {}
  const { timestamp } = block.block
  // As in Bitcoin Core, the index goes on naming a block that was lost: with no confirmations and no time.
  return isActive(block)
    ? { blockhash: block.hash, confirmations: tip.height - block.height + 1, time: timestamp, blocktime: timestamp }
    : { blockhash: block.hash, confirmations: 0 }
}

const getRaw = (context: Context, params: ReadonlyArray<unknown>) => {
  const txid = hashOf({ params, at: 0, name: "txid" }, "parameter 1")
  const verbosity = verbosityOf({ params, at: 1, name: "verbosity" }, 0)
  if (txid === genesisCoinbase) {
    const message = "The genesis block coinbase is not considered an ordinary transaction and cannot be retrieved"
    throw new RpcError(codes.invalidAddressOrKey, message)
  }
  const { asked, block, waiting } = located(context, txid, params)
  const at = block?.transactions.findIndex((one) => one.txid === txid) ?? -1
  const tx = waiting ?? block?.transactions[at]
  if (tx === undefined) {
    const inBlock = "No such transaction found in the provided block. Use gettransaction for wallet transactions."
    throw new RpcError(codes.invalidAddressOrKey, asked === true ? inBlock : unknownTransaction)
  }
  if (verbosity <= 0) return tx.hex
  const view = verbosity >= 2 ? { spent: block?.spent[at], prevouts: true } : {}
  const active = asked === true && block !== undefined ? { in_active_chain: context.isActive(block) } : {}
  return { ...active, ...txJson(tx, view), ...placeOf(context, block) }
}

const getTxOut = ({ node, tip }: Context, params: ReadonlyArray<unknown>) => {
  const key = outpoint(hashOf({ params, at: 0, name: "txid" }, "txid"), numberOf({ params, at: 1, name: "n" }))
  const withMempool = boolOf({ params, at: 2, name: "include_mempool" }, true)
  if (withMempool && node.mempool.spenderOf(key) !== undefined) return null
  const out = withMempool
    ? node.mempool.entries.get(key.slice(0, 64))?.transaction.outs[Number(key.slice(65))]
    : undefined
  const coin = out === undefined ? node.chain.coins.get(key) : { ...out, height: tip.height + 1, coinbase: false }
  if (coin === undefined || (out === undefined && coin.height > tip.height)) return null
  return {
    bestblock: tip.hash,
    confirmations: out === undefined ? tip.height - coin.height + 1 : 0,
    value: amount(coin.value),
    scriptPubKey: scriptJson(coin.script),
    coinbase: coin.coinbase
  }
}

/** The script that a scan looks for: `addr(…)` and `raw(…)` are known. */
const scanned = (object: unknown): Uint8Array => {
  const text = typeof object === "object" && object !== null && "desc" in object ? object.desc : object
  const match = typeof text === "string" ? /^(addr|raw)\(([0-9a-zA-Z]*)\)(?:#[a-z0-9]{8})?$/u.exec(text) : null
  if (match === null)
    throw new RpcError(codes.invalidAddressOrKey, `'${String(text)}' is not a valid descriptor function`)
  const [, kind, inner = ""] = match
  const script = kind === "addr" ? scriptOf(inner) : Uint8Array.from(Buffer.from(inner, "hex"))
  if (script === undefined) throw new RpcError(codes.invalidAddressOrKey, "Address is not valid")
  return script
}

const unspent = ({ node, tip }: Context, key: string, coin: Coin) => ({
  txid: key.slice(0, 64),
  vout: Number(key.slice(65)),
  scriptPubKey: toHex(coin.script),
  desc: scriptJson(coin.script).desc,
  amount: amount(coin.value),
  coinbase: coin.coinbase,
  height: coin.height,
  blockhash: node.chain.active[coin.height]?.hash,
  confirmations: tip.height - coin.height + 1
})

/** The order of the set of unspent outputs: by the bytes of the txid as they stand in transactions, then by place. */
const placeInSet = (key: string): string => `${toHex(unshown(key.slice(0, 64)))}:${key.slice(65).padStart(10, "0")}`

const scan = (context: Context, params: ReadonlyArray<unknown>) => {
  const action = textOf({ params, at: 0, name: "action" })
  if (action === "status") return null
  if (action === "abort") return false
  if (action !== "start") throw new RpcError(codes.invalidParameter, `Invalid action '${action}'`)
  const wanted = new Set(listOf({ params, at: 1, name: "scanobjects" }).map((object) => toHex(scanned(object))))
  const { chain } = context.node
  const found = [...chain.coins]
    .filter(([, coin]) => coin.height <= context.tip.height && wanted.has(toHex(coin.script)))
    .toSorted(([one], [other]) => (placeInSet(one) < placeInSet(other) ? -1 : 1))
  return {
    success: true,
    txouts: chain.coins.size,
    height: context.tip.height,
    bestblock: context.tip.hash,
    unspents: found.map(([key, coin]) => unspent(context, key, coin)),
    total_amount: amount(found.reduce((sum, [, { value }]) => sum + value, 0n))
  }
}

/** Why a text is no address, in the words of Bitcoin Core. */
const addressFault = (text: string): string => {
  if (/^bcrt1/iu.test(text)) return "Invalid checksum"
  if (!/^[1-9A-HJ-NP-Za-km-z]*$/u.test(text)) return "Invalid or unsupported Segwit (Bech32) or Base58 encoding."
  return isBase58Check(text)
    ? "Invalid or unsupported Base58-encoded address."
    : "Invalid checksum or length of Base58 address (P2PKH or P2SH)"
}

const validate = (_: Context, params: ReadonlyArray<unknown>) => {
  const text = textOf({ params, at: 0, name: "address" })
  const script = scriptOf(text)
  if (script === undefined) return { isvalid: false, error_locations: [], error: addressFault(text) }
  const kind = kindOf(script)
  const witness = kind.startsWith("witness_") || kind === "anchor"
  const version = script[0] === 0 ? 0 : (script[0] ?? 0) - 0x50
  const isscript = ["scripthash", "witness_v0_scripthash", "witness_v1_taproot", "anchor"].includes(kind)
  return {
    isvalid: true,
    address: addressOf(script),
    scriptPubKey: toHex(script),
    // Of a version to come nobody knows.
    ...(kind === "witness_unknown" ? {} : { isscript }),
    iswitness: witness,
    ...(witness && kind !== "anchor" ? { witness_version: version, witness_program: toHex(script.subarray(2)) } : {})
  }
}

/** What can be asked of transactions and coins. */
export const transactionMethods: Readonly<Record<string, Method>> = {
  sendrawtransaction: { parameters: ["hexstring", "maxfeerate", "maxburnamount"], required: 1, run: send },
  testmempoolaccept: {
    parameters: ["rawtxs", "maxfeerate"],
    required: 1,
    run: (context, params) => {
      const hexes = listOf({ params, at: 0, name: "rawtxs" })
      // Packages, whose members may depend on each other, are judged one by one.
      const feeRateMax = amountOf({ params, at: 1, name: "maxfeerate" }, feeRateMaxDefault)
      if (hexes.length < 1 || hexes.length > 25) {
        throw new RpcError(codes.invalidParameter, "Array must contain between 1 and 25 transactions.")
      }
      return hexes.map((hex) => judged(context, hex, feeRateMax))
    }
  },
  getrawtransaction: { parameters: ["txid", "verbosity", "blockhash"], required: 1, run: getRaw },
  gettxout: { parameters: ["txid", "n", "include_mempool"], required: 2, run: getTxOut },
  scantxoutset: { parameters: ["action", "scanobjects"], required: 1, run: scan },
  validateaddress: { parameters: ["address"], required: 1, run: validate }
}
