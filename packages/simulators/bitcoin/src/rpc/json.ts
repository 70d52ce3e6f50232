import type { Coin, StoredBlock } from "../ChainState.ts"
import { amount, shown, toHex } from "../bytes.ts"
import { scriptJson, scriptSigAsmOf } from "../scripts.ts"
import type { Tx } from "../Tx.ts"
import type { Context } from "./Method.ts"

/** The greatest target, which all blocks of regtest have. */
const target = `7fffff${"0".repeat(58)}`
const difficulty = 4.656542373906925e-10
const bits = "207fffff"

/** The work of the main chain up to a height: two for every block. */
export const chainWork = (height: number): string => (BigInt(height + 1) * 2n).toString(16).padStart(64, "0")

/** What is the same for every block. */
export const work = { bits, target, difficulty }

/** A header as `getblockheader` and `getblock` give it. */
export const headerJson = ({ isActive, node, tip }: Context, block: StoredBlock) => {
  const active = isActive(block)
  const next = active && block.height < tip.height ? node.chain.active[block.height + 1] : undefined
  const { nonce, timestamp, version } = block.block
  return {
    hash: block.hash,
    confirmations: active ? tip.height - block.height + 1 : -1,
    height: block.height,
    version,
    versionHex: (version >>> 0).toString(16).padStart(8, "0"),
    merkleroot: shown(block.block.merkleRoot ?? new Uint8Array(32)),
    time: timestamp,
    mediantime: block.medianTime,
    nonce,
    ...work,
    chainwork: chainWork(block.height),
    nTx: block.transactions.length,
    ...(block.height === 0 ? {} : { previousblockhash: block.parent }),
    ...(next === undefined ? {} : { nextblockhash: next.hash })
  }
}

const prevoutJson = ({ coinbase, height, script, value }: Coin) => ({
  generated: coinbase,
  height,
  value: amount(value),
  scriptPubKey: scriptJson(script)
})

const inputs = ({ transaction }: Tx, spent: ReadonlyArray<Coin> | undefined) =>
  transaction.ins.map(({ hash, index, script, sequence, witness }, input) => {
    const txinwitness = witness.length === 0 ? {} : { txinwitness: witness.map(toHex) }
    if (transaction.isCoinbase()) return { coinbase: toHex(script), ...txinwitness, sequence }
    const coin = spent?.[input]
    return {
      txid: shown(hash),
      vout: index,
      scriptSig: { asm: scriptSigAsmOf(script), hex: toHex(script) },
      ...txinwitness,
      ...(coin === undefined ? {} : { prevout: prevoutJson(coin) }),
      sequence
    }
  })

/** How a transaction is to be shown: with its fee if what it spent is known, with each coin it spent if asked for. */
export interface TxView {
  readonly spent?: ReadonlyArray<Coin> | undefined
  readonly prevouts?: boolean
}

/** A transaction as `getrawtransaction` and `getblock` give it. */
export const txJson = (tx: Tx, { prevouts = false, spent }: TxView) => {
  const { transaction } = tx
  const paid = transaction.outs.reduce((sum, { value }) => sum + value, 0n)
  const fee =
    spent === undefined || transaction.isCoinbase()
      ? undefined
      : spent.reduce((sum, { value }) => sum + value, 0n) - paid
  return {
    txid: tx.txid,
    hash: tx.wtxid,
    version: transaction.version,
    size: tx.size,
    vsize: tx.vsize,
    weight: tx.weight,
    locktime: transaction.locktime,
    vin: inputs(tx, prevouts ? spent : undefined),
    vout: transaction.outs.map(({ script, value }, n) => ({
      value: amount(value),
      n,
      scriptPubKey: scriptJson(script)
    })),
    ...(fee === undefined ? {} : { fee: amount(fee) }),
    hex: tx.hex
  }
}
