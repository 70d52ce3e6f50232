import { Effect, Result } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { BitcoinRpc } from "../rpc/Rpc.ts"
import { decoded, inconsistent, toChainError } from "../rpc/NodeAnswer.ts"
import { UnspentOutput } from "../rpc/wire.ts"

/** An output by its transaction and place. */
export interface Outpoint {
  readonly txHash: string
  readonly vout: number
}

/** A text for an outpoint. */
export const keyOf = ({ txHash, vout }: Outpoint): string => `${txHash}:${vout}`

/** Calls in one request. */
const batchMax = 100

/**
 * What the node's newest block leaves unspent of these outputs, in their order: undefined for one that is spent, or that the node
 * does not know, which are one answer. What waits for a block is not looked at.
 */
export const unspentOf = Effect.fn("BitcoinSender.unspent")(function* (
  rpc: BitcoinRpc,
  doing: string,
  outpoints: ReadonlyArray<Outpoint>
): Effect.fn.Return<ReadonlyArray<UnspentOutput | undefined>, ChainError> {
  const found: Array<UnspentOutput | undefined> = []
  for (let from = 0; from < outpoints.length; from += batchMax) {
    const params = outpoints.slice(from, from + batchMax).map(({ txHash, vout }) => [txHash, vout, false])
    for (const answer of yield* rpc.askAll(doing, "gettxout", params)) {
      if (Result.isFailure(answer)) return yield* toChainError(answer.failure)
      if (answer.success === null) {
        found.push(undefined)
        continue
      }
      const output = yield* decoded(doing, UnspentOutput, answer.success)
      if (output.confirmations < 1) return yield* inconsistent(doing, "an output of the chain has no confirmations")
      found.push(output)
    }
  }
  return found
})
