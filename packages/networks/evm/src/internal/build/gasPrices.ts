import { Effect, Result, Schema } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { Rpc } from "../rpc/Rpc.ts"
import { decoded, isMissingMethod, toChainError } from "../rpc/NodeAnswer.ts"
import { Quantity } from "../rpc/wire.ts"

/** What gas costs now, in wei. */
export interface GasPrices {
  readonly baseFee: bigint
  /** What those who make blocks expect on top. */
  readonly tip: bigint
}

/** What a transaction bids for its gas, in wei. */
export interface Bid {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

const FeeHeader = Schema.Struct({ baseFeePerGas: Quantity })

const quantity = (rpc: Rpc, doing: string, method: string) =>
  Effect.flatMap(rpc.call(doing, method, []), (answer) => decoded(rpc.network, doing, Quantity, answer)).pipe(
    Effect.map(BigInt)
  )

/** The prices of the newest block. The tip is never below `tipMin`: less is not taken into blocks on bsc. */
export const readGasPrices = Effect.fn("EvmSender.readGasPrices")(function* (
  rpc: Rpc,
  tipMin: bigint
): Effect.fn.Return<GasPrices, ChainError> {
  const doing = "read what gas costs"
  const refused = toChainError(rpc.network)
  const [header, tip] = yield* Effect.all(
    [
      Effect.flatMap(rpc.ask(doing, "eth_getBlockByNumber", ["latest", false]), (answer) =>
        decoded(rpc.network, doing, FeeHeader, answer)
      ),
      // Nodes without the suggestion of a tip have one of a whole price.
      quantity(rpc, doing, "eth_maxPriorityFeePerGas").pipe(
        Effect.catchTag("NodeRefusal", (refusal) =>
          isMissingMethod(refusal) ? Effect.succeed(undefined) : Effect.fail(refused(refusal))
        )
      )
    ],
    { concurrency: "unbounded" }
  )
  const baseFee = BigInt(header.baseFeePerGas)
  const suggested =
    tip ??
    (yield* Effect.catchTag(quantity(rpc, doing, "eth_gasPrice"), "NodeRefusal", (refusal) =>
      Effect.fail(refused(refusal))
    )) - baseFee
  return { baseFee, tip: suggested > tipMin ? suggested : tipMin }
})

/** The least bid that nodes take for a replacement: a tenth more, rounded up, and more in any case. */
const raised = (price: bigint): bigint => (price * 11n + 9n) / 10n + (price === 0n ? 1n : 0n)

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/**
 * What to bid: twice the base fee and the tip, which outlasts six full blocks, but no more than the cap. `replaced` is the bid
 * that has to be beaten, by a tenth on both fields. Fails with the price that would be needed where that is above the cap.
 */
export const bidFor = (
  { baseFee, tip }: GasPrices,
  feeCapPerGas: bigint,
  replaced: Bid | undefined
): Result.Result<Bid, bigint> => {
  const maxPriorityFeePerGas = replaced === undefined ? tip : larger(tip, raised(replaced.maxPriorityFeePerGas))
  const least = larger(baseFee + maxPriorityFeePerGas, replaced === undefined ? 0n : raised(replaced.maxFeePerGas))
  if (least > feeCapPerGas) return Result.fail(least)
  const wanted = larger(2n * baseFee + maxPriorityFeePerGas, least)
  return Result.succeed({ maxFeePerGas: wanted < feeCapPerGas ? wanted : feeCapPerGas, maxPriorityFeePerGas })
}
