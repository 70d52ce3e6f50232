import { Effect, Schema } from "effect"
import { shortened } from "@bursar/core/base/shortened"
import { ChainError } from "@bursar/core/port/Chain"

/** The node answered the call, with an error. What that means depends on the call. */
export class NodeRefusal extends Schema.TaggedError<NodeRefusal>()("NodeRefusal", {
  doing: Schema.String,
  code: Schema.Number,
  detail: Schema.String
}) {}

/** How much of a node's words is kept. */
const detailCharsMax = 300

const error =
  (reason: ChainError["reason"]) =>
  (doing: string, detail: string): ChainError =>
    new ChainError({ network: "bitcoin", reason, doing, detail: shortened(detail, detailCharsMax) })

/** An answer that contradicts itself, the question, or the protocol. */
export const inconsistent = error("inconsistent")

/** The node says of itself that it is of another chain. */
export const otherChain = error("other_chain")

/** The node does not know what was asked for, or it is not in its main chain. */
export const absent = error("absent")

/** No answer that could be used. */
export const unreachable = error("unreachable")

/** RPC_INVALID_ADDRESS_OR_KEY: what Bitcoin Core says of a block or transaction that it does not know. */
const notFound = -5

/** RPC_INVALID_PARAMETER: a height above the tip, a hash of the wrong length. */
const outOfRange = -8

/** Whether the refusal says that the node does not know the thing. */
export const isUnknown = ({ code, detail }: NodeRefusal): boolean =>
  code === notFound || (code === outOfRange && /out of range/iu.test(detail))

/** RPC_MISC_ERROR: among others for a block that the node knows and does not have: pruned, or not loaded yet. */
const misc = -1

/**
 * Whether the refusal says that the node does not keep the block. It knows of it, so that is not {@link isUnknown}. `getblock` says why, and
 * `getrawtransaction` only that it is not available.
 */
const isNotKept = ({ code, detail }: NodeRefusal): boolean => code === misc && /^Block not available/iu.test(detail)

/** The refusal as an error of the port: what is unknown or not kept is `absent`, anything else counts as no answer. */
export const toChainError = (refusal: NodeRefusal): ChainError =>
  (isUnknown(refusal) || isNotKept(refusal) ? absent : unreachable)(
    refusal.doing,
    `the node refused: ${refusal.detail} (${refusal.code})`
  )

/** Reads an answer by its schema. Null means that the node does not know the thing; any other mismatch is `inconsistent`. */
export const decoded = <S extends Schema.Constraint>(
  doing: string,
  schema: S,
  answer: unknown
): Effect.Effect<S["Type"], ChainError, S["DecodingServices"]> =>
  answer === null || answer === undefined
    ? Effect.fail(absent(doing, "the node does not know it"))
    : Schema.decodeUnknownEffect(schema)(answer).pipe(
        Effect.mapError((failure) => inconsistent(doing, failure.message))
      )
