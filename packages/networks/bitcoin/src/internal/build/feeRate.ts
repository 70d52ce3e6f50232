import { Effect } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { BitcoinRpc } from "../rpc/Rpc.ts"
import { decoded } from "../rpc/NodeAnswer.ts"
import { FeeEstimateAnswer, MempoolFees, satoshi } from "../rpc/wire.ts"

/** What the network asks for, in satoshi per 1,000 virtual bytes. */
export interface FeeRates {
  /** To come into a block soon; null where it cannot be told. */
  readonly current: bigint | null
  /** What a replacement must pay beyond the fee of what it replaces. */
  readonly incremental: bigint
}

/** In how many blocks, and what is paid where the node has nothing to estimate from. */
export interface FeeOptions {
  readonly confirmTarget: number
  readonly fallbackFeeRate: bigint | null
}

/**
 * What replacements add at least (`DEFAULT_INCREMENTAL_RELAY_FEE` of Bitcoin Core before version 29.1). Ours may ask a tenth, but most nodes that it
 * would hand a replacement on to ask this, and keep the original.
 */
const incrementalMin = 1_000n

const largest = (first: bigint, ...others: ReadonlyArray<bigint>): bigint =>
  others.reduce((one, other) => (one > other ? one : other), first)

/**
 * Asks the node for the fees of now. The estimate is never below what its mempool takes. The fallback counts only where the node
 * answers that it has nothing to estimate from, not where it does not answer.
 */
export const feeRates = Effect.fn("BitcoinSender.feeRates")(function* (
  rpc: BitcoinRpc,
  { confirmTarget, fallbackFeeRate }: FeeOptions
): Effect.fn.Return<FeeRates, ChainError> {
  const doing = "read what fees the network asks for"
  const estimate = yield* decoded(
    doing,
    FeeEstimateAnswer,
    yield* rpc.ask(doing, "estimatesmartfee", [confirmTarget, "economical"])
  )
  const fees = yield* decoded(doing, MempoolFees, yield* rpc.ask(doing, "getmempoolinfo", []))
  const { feerate } = estimate
  const incremental = largest(incrementalMin, satoshi(fees.incrementalrelayfee ?? 0))
  const wanted = feerate === undefined || feerate === 0 ? fallbackFeeRate : satoshi(feerate)
  const current = wanted === null ? null : largest(wanted, satoshi(fees.mempoolminfee), satoshi(fees.minrelaytxfee))
  return { current, incremental }
})
