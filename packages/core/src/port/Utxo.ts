/** An output by its transaction and its place there (bitcoin). */
export interface Outpoint {
  readonly txHash: string
  readonly vout: number
}

/** An unspent output (bitcoin). */
export interface Utxo extends Outpoint {
  readonly units: bigint
  /** The canonical address whose key spends it. */
  readonly address: string
  /** The compressed key, in hexadecimal: needed where the address does not tell how it is spent (P2SH), else not looked at. */
  readonly publicKey?: string
}
