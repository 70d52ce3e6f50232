import type { Network } from "../money/Network.ts"
import type { Coin, Outpoint } from "../port/ChainSender.ts"

/** Where a coin of a wallet stands; GONE while the block that made it is not on the chain. */
export const coinStates = ["FREE", "RESERVED", "SPENT", "GONE"] as const

/** Where a coin of a wallet stands. */
export type CoinState = (typeof coinStates)[number]

/** A confirmed output that a wallet can spend (bitcoin). It is in one spend at most. */
export interface WalletCoin extends Coin {
  readonly network: Network
  readonly walletId: string
  readonly state: CoinState
  /** The spend that reserved it, or spent it. */
  readonly spendId: string | null
}

/** The key of a coin. */
export const coinKey = (network: Network, { txHash, vout }: Outpoint): string => `${network}|${txHash}:${vout}`
