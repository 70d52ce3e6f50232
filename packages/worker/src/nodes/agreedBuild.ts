import { ChainError } from "@bursar/core/port/Chain"
import { CannotBuild, type ChainSender, type SendOrder, type UnsignedTransaction } from "@bursar/core/port/ChainSender"
import { Clock, Effect, Result } from "effect"
import { agreedAnswer } from "./agreedAnswer.ts"
import { paymentWords, receiverKind } from "./agreedReceiver.ts"
import type { SeveralNodes } from "./SeveralNodes.ts"
import { patienceMs } from "./waitingForSecond.ts"

/** The longest wait before something is built again that nodes do not agree on. */
const retryLongestMs = 3_600_000

const doing = "ask a second node whether a transaction can be built"

type Built = Result.Result<UnsignedTransaction, CannotBuild>

/** An order as a node builds it, or why it cannot; a node that is not read fails. */
const built =
  (order: SendOrder) =>
  ({ build }: Pick<ChainSender, "build">): Effect.Effect<Built, ChainError> =>
    build(order).pipe(
      Effect.map(Result.succeed),
      Effect.catchTag("CannotBuild", (cannot) => Effect.succeed(Result.fail(cannot)))
    )

const isReceiverRefused = (answer: Built): boolean =>
  Result.isFailure(answer) && answer.failure.reason === "destination_invalid"

/** What a second node says of the receiver, by building the order as well. Why else it cannot build it says nothing of that. */
const saysOfReceiver = (order: SendOrder, sender: Pick<ChainSender, "build">): Effect.Effect<Built, ChainError> =>
  Effect.flatMap(built(order)(sender), (answer) => {
    if (Result.isSuccess(answer) || isReceiverRefused(answer)) return Effect.succeed(answer)
    const { detail, network } = answer.failure
    return new ChainError({ network, reason: "unreachable", doing, detail })
  })

/** What an order pays, in words that are the same for each try of it, and for no other order that a node may tell from it. */
const aboutOf = ({ from, payments }: SendOrder): string => `${payments.map(paymentWords).join(", ")} by ${from}`

/**
 * Builds at one node. That the receiver cannot be paid, which ends what is built for, counts where nodes of two operators say so. Where they
 * do not agree for long it cannot be built now, so that what it has reserved keeps nothing else waiting.
 */
export const agreedBuild = (several: SeveralNodes): ChainSender["build"] => {
  const { agreed, settled, waitedMs } = agreedAnswer<Built>(several, {
    ...receiverKind,
    doing,
    saySame: (one, other) => isReceiverRefused(one) === isReceiverRefused(other),
    words: (answer) => (Result.isSuccess(answer) ? "it can be built" : answer.failure.detail)
  })
  return Effect.fnUntraced(function* (order) {
    const first = yield* several.ask(built(order))
    // which of several receivers is refused nobody knows: each is tried by itself, and nothing ends yet
    if (order.payments.length !== 1) return yield* Effect.fromResult(first.answer)
    const about = aboutOf(order)
    // what only bids more says nothing of another order for the same
    if (Result.isSuccess(first.answer) && order.replacing === null) settled(about)
    if (!isReceiverRefused(first.answer)) return yield* Effect.fromResult(first.answer)
    const answer = yield* Effect.result(agreed({ about, ...first }, ({ sender }) => saysOfReceiver(order, sender)))
    if (Result.isSuccess(answer)) return yield* Effect.fromResult(answer.success)
    const waited = waitedMs(about, yield* Clock.currentTimeMillis)
    if (waited < patienceMs) return yield* answer.failure
    const { detail, network } = answer.failure
    // the longer it lasts, the later: each try takes a number, and one that others came after has to be used up, for a fee
    const retryAfterMs = Math.min(waited, retryLongestMs)
    return yield* new CannotBuild({ network, reason: "node_unreadable", detail, missing: null, retryAfterMs })
  })
}
