import type { Network } from "../money/Network.ts"
import type { Utxo, Outpoint } from "../port/Utxo.ts"
import { defineRecord } from "../engine/Records.ts"

/** The state of a wallet's UTXO; GONE while the block that made it is not on the chain. */
export const utxoStates = ["FREE", "RESERVED", "SPENT", "GONE"] as const

/** The state of a wallet's UTXO. */
export type UtxoState = (typeof utxoStates)[number]

/** A confirmed output that a wallet can spend (bitcoin). It is in one outbound transaction at most. */
export interface WalletUtxo extends Utxo {
  readonly network: Network
  readonly walletId: string
  readonly state: UtxoState
  /** The outbound transaction that reserved it, or spent it. */
  readonly transactionId: string | null
}

/** The key of a UTXO. */
export const utxoKey = (network: Network, { txHash, vout }: Outpoint): string => `${network}|${txHash}:${vout}`

/** Coins by network and output. The free ones of a wallet are a group. */
export const WalletUtxo = defineRecord<WalletUtxo>({
  name: "WalletUtxo",
  key: (utxo) => utxoKey(utxo.network, utxo),
  group: ({ state, walletId }) => (state === "FREE" ? walletId : null)
})
