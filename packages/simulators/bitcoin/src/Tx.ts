import { crypto, Transaction } from "bitcoinjs-lib"
import { fromHex, shown } from "./bytes.ts"

/** A transaction with what is computed from its bytes. */
export interface Tx {
  readonly transaction: Transaction
  readonly txid: string
  readonly wtxid: string
  readonly hex: string
  readonly size: number
  readonly vsize: number
  readonly weight: number
  /** What it spends, as `txid:vout`. */
  readonly spends: ReadonlyArray<string>
}

/** An output as a key: `txid:vout`. */
export const outpoint = (txid: string, vout: number): string => `${txid}:${vout}`

/** Computes what is asked for again and again. */
export const toTx = (transaction: Transaction): Tx => ({
  transaction,
  txid: transaction.getId(),
  // The library gives zeros for a coinbase, which is what the witness commitment takes, not its hash.
  wtxid: shown(crypto.hash256(transaction.toBuffer())),
  hex: transaction.toHex(),
  size: transaction.byteLength(),
  vsize: transaction.virtualSize(),
  weight: transaction.weight(),
  spends: transaction.isCoinbase() ? [] : transaction.ins.map(({ hash, index }) => outpoint(shown(hash), index))
})

/** Reads a transaction; undefined if the text is none, or has bytes left over. */
export const decodeTx = (hex: string): Tx | undefined => {
  if (!/^(?:[0-9a-f]{2})+$/iu.test(hex)) return undefined
  try {
    return toTx(Transaction.fromBuffer(fromHex(hex)))
  } catch {
    return undefined
  }
}
