import { amount, rawNumber } from "../bytes.ts"
import type { Mempool, MempoolEntry } from "../Mempool.ts"
import { codes, RpcError } from "../RpcError.ts"
import type { Method } from "./Method.ts"
import { boolOf, hashOf, listOf, numberOf } from "./parameters.ts"
import { outpoint } from "../Tx.ts"

/** From this sequence number on an input does not signal that it may be replaced (BIP 125). */
const sequenceSilent = 0xffff_fffe

/** One satoshi per virtual byte. */
const feeRateMin = rawNumber("0.00001000")

const confirmTargetMax = 1_008

const sum = (entries: ReadonlyArray<MempoolEntry>, of: (entry: MempoolEntry) => bigint): bigint =>
  entries.reduce((total, entry) => total + of(entry), 0n)

const entryJson = (mempool: Mempool, entry: MempoolEntry) => {
  const ancestors = mempool.ancestorsOf(entry)
  const descendants = mempool.descendantsOf(entry)
  const size = (entries: ReadonlyArray<MempoolEntry>) => entries.reduce((total, { vsize }) => total + vsize, 0)
  const fee = (one: MempoolEntry) => one.fee
  return {
    vsize: entry.vsize,
    weight: entry.weight,
    time: entry.time,
    height: entry.height,
    descendantcount: descendants.length,
    descendantsize: size(descendants),
    ancestorcount: ancestors.length,
    ancestorsize: size(ancestors),
    wtxid: entry.wtxid,
    fees: {
      base: amount(entry.fee),
      modified: amount(entry.fee),
      ancestor: amount(sum(ancestors, fee)),
      descendant: amount(sum(descendants, fee))
    },
    depends: mempool.parentsOf(entry).map(({ txid }) => txid),
    spentby: mempool.childrenOf(entry).map(({ txid }) => txid),
    "bip125-replaceable": ancestors.some(({ transaction }) =>
      transaction.ins.some(({ sequence }) => sequence < sequenceSilent)
    ),
    unbroadcast: mempool.isUnbroadcast(entry.txid)
  }
}

/** A list of outputs, which is not empty. */
const outpointsOf = (params: ReadonlyArray<unknown>) => {
  const outputs = listOf({ params, at: 0, name: "outputs" })
  if (outputs.length === 0) throw new RpcError(codes.invalidParameter, "Invalid parameter, outputs are missing")
  return outputs.map((output) => {
    const given = typeof output === "object" && output !== null ? output : {}
    if (!("txid" in given)) throw new RpcError(codes.typeError, "Missing txid")
    if (!("vout" in given)) throw new RpcError(codes.typeError, "Missing vout")
    const parts = [given.txid, given.vout]
    const txid = hashOf({ params: parts, at: 0, name: "txid" }, "txid")
    const vout = numberOf({ params: parts, at: 1, name: "vout" })
    if (vout < 0) throw new RpcError(codes.invalidParameter, "Invalid parameter, vout cannot be negative")
    return { txid, vout }
  })
}

/** What can be asked of the mempool and of fees. */
export const mempoolMethods: Readonly<Record<string, Method>> = {
  getrawmempool: {
    parameters: ["verbose", "mempool_sequence"],
    required: 0,
    run: ({ node: { mempool } }, params) => {
      const entries = [...mempool.entries.values()]
      if (boolOf({ params, at: 0, name: "verbose" }, false)) {
        return Object.fromEntries(entries.map((entry) => [entry.txid, entryJson(mempool, entry)]))
      }
      const txids = entries.map(({ txid }) => txid)
      return boolOf({ params, at: 1, name: "mempool_sequence" }, false)
        ? { txids, mempool_sequence: mempool.sequence() }
        : txids
    }
  },
  getmempoolentry: {
    parameters: ["txid"],
    required: 1,
    run: ({ node: { mempool } }, params) => {
      const entry = mempool.entries.get(hashOf({ params, at: 0, name: "txid" }, "parameter 1"))
      if (entry === undefined) throw new RpcError(codes.invalidAddressOrKey, "Transaction not in mempool")
      return entryJson(mempool, entry)
    }
  },
  gettxspendingprevout: {
    parameters: ["outputs"],
    required: 1,
    run: ({ node: { mempool } }, params) =>
      outpointsOf(params).map(({ txid, vout }) => {
        const spendingtxid = mempool.spenderOf(outpoint(txid, vout))
        return { txid, vout, ...(spendingtxid === undefined ? {} : { spendingtxid }) }
      })
  },
  getmempoolinfo: {
    parameters: [],
    required: 0,
    run: ({ node: { mempool } }) => {
      const entries = [...mempool.entries.values()]
      return {
        loaded: true,
        size: entries.length,
        bytes: entries.reduce((total, { vsize }) => total + vsize, 0),
        usage: entries.reduce((total, { size }) => total + size, 0),
        total_fee: amount(sum(entries, ({ fee }) => fee)),
        maxmempool: 300_000_000,
        mempoolminfee: feeRateMin,
        minrelaytxfee: feeRateMin,
        incrementalrelayfee: feeRateMin,
        unbroadcastcount: entries.filter(({ txid }) => mempool.isUnbroadcast(txid)).length,
        fullrbf: true
      }
    }
  },
  estimatesmartfee: {
    parameters: ["conf_target", "estimate_mode"],
    required: 1,
    run: (_, params) => {
      const blocks = numberOf({ params, at: 0, name: "conf_target" })
      if (blocks < 1 || blocks > confirmTargetMax) {
        throw new RpcError(codes.invalidParameter, `Invalid conf_target, must be between 1 and ${confirmTargetMax}`)
      }
      // A real node has nothing to estimate from in regtest either.
      return { errors: ["Insufficient data or no feerate found"], blocks: 0 }
    }
  }
}
