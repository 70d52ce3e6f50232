import { Effect, Schema } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { Node } from "../rpc/Node.ts"
import { decoded, inconsistent } from "../rpc/NodeAnswer.ts"
import { orUnreachable } from "../read/readHeader.ts"

/** What the network asks, in sun. The producers vote on it, so it is read each time. */
export interface Prices {
  /** For a unit of energy. */
  readonly energy: bigint
  /** For a byte of bandwidth. */
  readonly bandwidth: bigint
  /** For making an account active, which goes with a transfer of TRX to it. */
  readonly activation: bigint
  /** For the bandwidth of that, where the sender has none staked. */
  readonly activationBandwidth: bigint
  /** The most that a transaction may allow itself to burn for energy. */
  readonly feeLimitMax: bigint
}

const Parameters = Schema.Struct({
  chainParameter: Schema.Array(
    Schema.Struct({ key: Schema.String, value: Schema.optionalKey(Schema.Union([Schema.Int, Schema.BigInt])) })
  )
})

/** The prices as they stand now. A price of nothing is not believed: with it every call would run out of energy. */
export const readPrices = Effect.fn("TronSender.readPrices")(function* (
  node: Node
): Effect.fn.Return<Prices, ChainError> {
  const doing = "read the prices"
  const answer = yield* orUnreachable(node.http.call(doing, "wallet", "getchainparameters", {}))
  const { chainParameter } = yield* decoded(doing, Parameters, answer)
  const values = new Map(chainParameter.map(({ key, value = 0 }) => [key, BigInt(value)]))
  const valueOf = (key: string): Effect.Effect<bigint, ChainError> => {
    const value = values.get(key) ?? 0n
    return value > 0n ? Effect.succeed(value) : Effect.fail(inconsistent(doing, `there is no ${key}`))
  }
  return {
    energy: yield* valueOf("getEnergyFee"),
    bandwidth: yield* valueOf("getTransactionFee"),
    activation: yield* valueOf("getCreateNewAccountFeeInSystemContract"),
    activationBandwidth: yield* valueOf("getCreateAccountFee"),
    feeLimitMax: yield* valueOf("getMaxFeeLimit")
  }
})
