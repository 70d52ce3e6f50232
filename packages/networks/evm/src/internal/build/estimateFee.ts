import { BigInt as Big, Effect, Result } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { FeeEstimate } from "@bursar/core/port/ChainSender"
import { parseEvmAddress } from "../../Address.ts"
import type { NodeRefusal } from "../rpc/NodeAnswer.ts"
import { estimateGas, readBalance } from "./contractCall.ts"
import type { Hex } from "./Draft.ts"
import { bidFor, type GasPrices } from "./gasPrices.ts"
import { transferGas } from "./purpose.ts"
import { readRollupFee } from "./rollupFee.ts"
import type { SenderContext } from "./SenderContext.ts"
import { transferData } from "../rpc/tokenCall.ts"

/**
 * The gas of a transfer where it cannot be asked for, because the payer or the receiver is unknown or the payer has not enough:
 * above what USDT and USDC take on the three networks, with and without a new place in the token's storage for the receiver.
 */
const tokenGas = { holder: 70_000n, newHolder: 90_000n }

/** Unsigned bytes of a transfer of coin and of a token. */
const sizeBytes = { native: 64, token: 128 }

/** Somebody who is not known; nobody has the key. */
const anybody = "0x000000000000000000000000000000000000dEaD"

interface Asked {
  readonly from: string | null
  readonly to: string | null
  readonly contract: string | null
  readonly units: bigint
}

/** What is undefined could not be told. */
const orUnknown = <A>(effect: Effect.Effect<A, ChainError | NodeRefusal>): Effect.Effect<A | undefined> =>
  Effect.orElseSucceed(effect, () => undefined)

const gasOf = Effect.fnUntraced(function* (
  { reads }: SenderContext,
  { contract, from, to, units }: Asked,
  holds: boolean | undefined
) {
  const doing = "estimate a payment"
  if (contract === null) {
    // Without value, which the payer may not have: what a receiving contract does costs the same.
    if (to === null) return transferGas
    return yield* orUnknown(estimateGas(reads, doing, { from: from ?? anybody, to, value: 0n }))
  }
  const assumed = holds === true ? tokenGas.holder : tokenGas.newHolder
  if (from === null || to === null) return assumed
  const data: Hex = transferData(to, units)
  return (yield* orUnknown(estimateGas(reads, doing, { from, to: contract, data }))) ?? assumed
})

/** What a payment costs, by what a node tells. */
interface Cost {
  readonly prices: GasPrices
  readonly gas: bigint
  /** What base charges beside the gas. */
  readonly posting: bigint
}

const feeOf = ({ gas, posting, prices }: Cost): bigint => gas * (prices.baseFee + prices.tip) + posting

const noPayment = { cost: undefined, known: { recipientHoldsAsset: null, assumedWorstCase: false } }

/** What a payment costs now, and what is known of its receiver; no cost where the prices, the gas or base's oracle cannot be read. */
const readCost = Effect.fnUntraced(function* (context: SenderContext, asked: Asked) {
  const { contracts, network, reads } = context
  const pinned = asked.contract === null ? null : contracts.get(asked.contract.toLowerCase())
  const parsed = asked.to === null ? undefined : parseEvmAddress(network, [...contracts.keys()], asked.to)
  // A contract that is not ours and a receiver that is none: there is no such payment.
  if (pinned === undefined || parsed?._tag === "Failure") return noPayment
  const to = parsed === undefined ? null : parsed.success
  const balance = pinned === null || to === null ? undefined : yield* orUnknown(readBalance(reads, to, pinned))
  const holds = balance === undefined ? undefined : balance > 0n
  const [prices, gas] = yield* Effect.all(
    [orUnknown(context.prices), gasOf(context, { ...asked, contract: pinned, to }, holds)],
    { concurrency: "unbounded" }
  )
  const known = { recipientHoldsAsset: holds ?? null, assumedWorstCase: pinned !== null && holds === undefined }
  if (prices === undefined || gas === undefined) return { cost: undefined, known }
  if (context.rollup === "none") return { cost: { prices, gas, posting: 0n } satisfies Cost, known }
  const posting = yield* orUnknown(readRollupFee(reads, pinned === null ? sizeBytes.native : sizeBytes.token, gas))
  return { cost: posting === undefined ? undefined : ({ prices, gas, posting } satisfies Cost), known }
})

/**
 * What a payment would cost now, at the base fee and the tip of the newest block, with what base charges beside. Null where the
 * prices, the gas or base's oracle cannot be read.
 */
export const estimateFee = Effect.fn("EvmSender.estimate")(function* (
  context: SenderContext,
  asked: Asked
): Effect.fn.Return<FeeEstimate> {
  const { cost, known } = yield* readCost(context, asked)
  return { fee: cost === undefined ? null : feeOf(cost), ...known }
})

/**
 * As `estimateFee`, for no more gas than a payment may take. Null also where a unit of it costs more than may be bid, or base charges more beside than
 * may be bid for all of it: what one node makes up keeps nothing waiting, and a price above the cap shows as that when the payment is built.
 */
export const plannedFee = Effect.fn("EvmSender.plannedFee")(function* (
  context: SenderContext,
  asked: Asked
): Effect.fn.Return<bigint | null> {
  const { feeCapPerGas, gasMax } = context
  const { cost } = yield* readCost(context, asked)
  if (cost === undefined) return null
  const isCapped = Result.isFailure(bidFor(cost.prices, feeCapPerGas, undefined))
  return isCapped || cost.posting > gasMax * feeCapPerGas ? null : feeOf({ ...cost, gas: Big.min(cost.gas, gasMax) })
})
