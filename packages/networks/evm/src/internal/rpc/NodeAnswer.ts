import { Effect, Schema } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import { absent, inconsistent, unreachable } from "@bursar/network-kit/answers"

export { absent, inconsistent, otherChain, shortened, unreachable } from "@bursar/network-kit/answers"

/** The node answered the call, with an error or beyond the bounds that the call set. What that means depends on the call. */
export class NodeRefusal extends Schema.TaggedError<NodeRefusal>()("NodeRefusal", {
  doing: Schema.String,
  code: Schema.Number,
  detail: Schema.String,
  /** The bound that the answer exceeded, of those that the call set. Asked again it is likely to. */
  exceeds: Schema.optional(Schema.Literals(["size", "time"]))
}) {}

const missingMethod =
  /method\b.*\b(?:not found|not exist|not available|not supported|not allowed|not whitelisted|disabled)|unsupported method|unknown method/iu

/** Whether the refusal says that the node does not have the method (geth -32601, EIP-1474 -32004, providers in words). */
export const isMissingMethod = ({ code, detail }: NodeRefusal): boolean =>
  code === -32601 || code === -32004 || missingMethod.test(detail)

const missingTracer =
  /tracers?\b.*\b(?:not|unknown|invalid|unsupported|disabled|custom)|(?:unknown|unsupported|invalid|custom|disabled|javascript|js)\b.*\btracers?|javascript|is not defined|syntaxerror/iu

/** Whether the refusal says that the node runs no tracer but its own (providers in words; geth without its JavaScript engine). */
export const isMissingTracer = ({ code, detail }: NodeRefusal): boolean => code === -32602 || missingTracer.test(detail)

const unknownBlock =
  /unknown block|block\b.*\bnot found|header\b.*\bnot found|header for hash|resource not found|transaction\b.*\bnot found/iu

/** Whether the refusal says that the node does not know the block. */
export const isUnknownBlock = ({ code, detail }: NodeRefusal): boolean =>
  code === -32001 || code === -39001 || unknownBlock.test(detail)

const lostState =
  /historical state|missing trie node|no state available|state (?:0x[0-9a-f]+ )?(?:is )?(?:not available|unavailable)|state pruning|pruned history|due to pruning|data before txnum|state at block \S+ is pruned|state histories/iu

/** EIP-4444's code for history that a node does not keep. */
const prunedHistoryCode = 4444

/** Whether the refusal says that the node does not keep the block, or its state, any more (clients in words). */
export const isLostState = ({ code, detail }: NodeRefusal): boolean =>
  code === prunedHistoryCode || lostState.test(detail)

/**
 * The refusal as an error of the port: a block that the node does not know, or not keep the state of, is `absent`; anything else
 * counts as no answer.
 */
export const toChainError =
  (network: string) =>
  (refusal: NodeRefusal): ChainError => {
    if (refusal.exceeds === "size") return inconsistent(network, refusal.doing, refusal.detail)
    if (refusal.exceeds === "time") return unreachable(network, refusal.doing, refusal.detail)
    const detail = `the node refused: ${refusal.detail} (${refusal.code})`
    if (isLostState(refusal))
      return absent(network, refusal.doing, `${detail}; it needs a node that keeps more of the past`)
    return isUnknownBlock(refusal)
      ? absent(network, refusal.doing, detail)
      : unreachable(network, refusal.doing, detail)
  }

/** Reads an answer by its schema. Null means that the node does not know the thing; any other mismatch is `inconsistent`. */
export const decoded = <S extends Schema.Constraint>(
  network: string,
  doing: string,
  schema: S,
  answer: unknown
): Effect.Effect<S["Type"], ChainError, S["DecodingServices"]> =>
  answer === null
    ? Effect.fail(absent(network, doing, "the node does not know it"))
    : Schema.decodeUnknownEffect(schema)(answer).pipe(
        Effect.mapError((error) => inconsistent(network, doing, error.message))
      )
