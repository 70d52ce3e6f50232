import { Effect } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { Rpc } from "../rpc/Rpc.ts"
import { toChainError } from "../rpc/NodeAnswer.ts"
import { callNumber } from "./contractCall.ts"
import type { Hex } from "./Draft.ts"

/** The predeployed oracle of the OP stack. */
const oracle = "0x420000000000000000000000000000000000000F"

/** keccak256("getL1FeeUpperBound(uint256)") and keccak256("getOperatorFee(uint256)"), the first four bytes. */
const upperBoundSelector = "0xf1c7a58b"
const operatorFeeSelector = "0x275aedd2"

const withNumber = (selector: Hex, value: bigint): Hex => `${selector}${value.toString(16).padStart(64, "0")}`

/** Sizes are asked for in steps, so that most transactions are answered by one question. */
const sizeStepBytes = 64

/**
 * What base charges beside the gas for a transaction of so many unsigned bytes: posting it to Ethereum, at most, and the
 * operator's fee. In wei, as things stand in the newest block. Fails where the oracle does not answer: never nothing.
 */
export const readRollupFee = Effect.fn("EvmSender.readRollupFee")(function* (
  rpc: Rpc,
  sizeBytes: number,
  gas: bigint
): Effect.fn.Return<bigint, ChainError> {
  const doing = "read what base charges for Ethereum"
  const size = BigInt(Math.ceil(sizeBytes / sizeStepBytes) * sizeStepBytes)
  const [posting, operator] = yield* Effect.all(
    [
      callNumber(rpc, doing, { to: oracle, data: withNumber(upperBoundSelector, size) }),
      callNumber(rpc, doing, { to: oracle, data: withNumber(operatorFeeSelector, gas) })
    ],
    { concurrency: "unbounded" }
  ).pipe(Effect.catchTag("NodeRefusal", (refusal) => Effect.fail(toChainError(rpc.network)(refusal))))
  return posting + operator
})
