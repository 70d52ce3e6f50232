import type { Effect } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { BitcoinChainName } from "../facts.ts"
import type { BitcoinRpc } from "../rpc/Rpc.ts"
import type { FeeRates } from "./feeRate.ts"

/** What the parts of a sender share. */
export interface SenderContext {
  readonly rpc: BitcoinRpc
  readonly chain: BitcoinChainName
  /** The most that a transaction may pay, in satoshi per 1,000 virtual bytes. */
  readonly feeRateMax: bigint
  readonly paymentsMax: number
  /** Blocks after which a transaction of ours is final, its own included. */
  readonly confirmations: number
  /** Blocks after which a coin that another transaction has spent is taken to be lost for ours. */
  readonly conflictConfirmations: number
  /** How many blocks are looked through for what has spent a coin. */
  readonly searchBlocksMax: number
  readonly rates: Effect.Effect<FeeRates, ChainError>
}
