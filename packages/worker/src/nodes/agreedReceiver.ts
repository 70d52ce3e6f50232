import type { ChainError } from "@bursar/core/port/Chain"
import type { CannotBuild, ChainSender, Preflight, SendOrder, UnsignedTransaction } from "@bursar/core/port/ChainSender"
import { Effect, Result } from "effect"
import { agreedAnswer } from "./agreedAnswer.ts"
import type { SeveralNodes } from "./SeveralNodes.ts"

const kind = { subject: "receiver", log: Effect.logError("transaction.receiver_disputed") } as const

/** Whether a receiver can be paid: a payout ends by a refusal only where nodes of two operators refuse. */
export const agreedPreflight = (several: SeveralNodes): ChainSender["preflight"] => {
  const agreed = agreedAnswer<Preflight>(several, {
    ...kind,
    doing: "ask a second node whether a receiver can be paid",
    saySame: (one, other) => one._tag === other._tag,
    words: (found) => (found._tag === "Payable" ? "it can be paid" : found.message)
  })
  return Effect.fnUntraced(function* (payment) {
    const first = yield* several.ask((sender) => sender.preflight(payment))
    if (first.answer._tag === "Payable") return first.answer
    return yield* agreed({ about: payment.to, ...first }, ({ sender }) => sender.preflight(payment))
  })
}

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

/** Builds at one node. That the receiver cannot be paid, which ends what is built for, counts where nodes of two operators say so. */
export const agreedBuild = (several: SeveralNodes): ChainSender["build"] => {
  const agreed = agreedAnswer<Built>(several, {
    ...kind,
    doing: "ask a second node whether a transaction can be built",
    saySame: (one, other) => isReceiverRefused(one) === isReceiverRefused(other),
    words: (answer) => (Result.isSuccess(answer) ? "it can be built" : answer.failure.detail)
  })
  return Effect.fnUntraced(function* (order) {
    const [payment, ...others] = order.payments
    const first = yield* several.ask(built(order))
    // which of several receivers is refused nobody knows: each is tried by itself, and nothing ends yet
    const isEnd = payment !== undefined && others.length === 0 && isReceiverRefused(first.answer)
    const answer = isEnd
      ? yield* agreed({ about: payment.to, ...first }, ({ sender }) => built(order)(sender))
      : first.answer
    return yield* Effect.fromResult(answer)
  })
}
