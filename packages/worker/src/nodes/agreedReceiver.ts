import { ChainError } from "@bursar/core/port/Chain"
import {
  CannotBuild,
  type ChainSender,
  type Payment,
  type Preflight,
  type SendOrder,
  type UnsignedTransaction
} from "@bursar/core/port/ChainSender"
import { Clock, Effect, Result } from "effect"
import { agreedAnswer } from "./agreedAnswer.ts"
import type { SeveralNodes } from "./SeveralNodes.ts"
import { patienceMs } from "./waitingForSecond.ts"

/** The longest wait before a payment is built again whose receiver nodes do not agree on. */
const retryLongestMs = 3_600_000

const kind = { subject: "receiver", log: Effect.logError("transaction.receiver_disputed") } as const

/** What a node says of a receiver it says of one asset: another may be paid to it. */
const aboutOf = ({ contract, to }: Payment): string => (contract === null ? to : `${to} in ${contract}`)

/** Whether a receiver can be paid: a payout ends by a refusal only where nodes of two operators refuse. */
export const agreedPreflight = (several: SeveralNodes): ChainSender["preflight"] => {
  const { agreed, settled } = agreedAnswer<Preflight>(several, {
    ...kind,
    doing: "ask a second node whether a receiver can be paid",
    saySame: (one, other) => one._tag === other._tag,
    words: (found) => (found._tag === "Payable" ? "it can be paid" : found.message)
  })
  return Effect.fnUntraced(function* (payment) {
    const first = yield* several.ask((sender) => sender.preflight(payment))
    const about = aboutOf(payment)
    if (first.answer._tag === "Payable") {
      settled(about)
      return first.answer
    }
    return yield* agreed({ about, ...first }, ({ sender }) => sender.preflight(payment))
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

const doing = "ask a second node whether a transaction can be built"

/** What a second node says of the receiver, by building the order as well. Why else it cannot build it says nothing of that. */
const saysOfReceiver = (order: SendOrder, sender: Pick<ChainSender, "build">): Effect.Effect<Built, ChainError> =>
  Effect.flatMap(built(order)(sender), (answer) => {
    if (Result.isSuccess(answer) || isReceiverRefused(answer)) return Effect.succeed(answer)
    const { detail, network } = answer.failure
    return new ChainError({ network, reason: "unreachable", doing, detail })
  })

/**
 * Builds at one node. That the receiver cannot be paid, which ends what is built for, counts where nodes of two operators say so. Where they
 * do not agree for long it cannot be built now, so that what it has reserved keeps nothing else waiting.
 */
export const agreedBuild = (several: SeveralNodes): ChainSender["build"] => {
  const { agreed, settled, waitedMs } = agreedAnswer<Built>(several, {
    ...kind,
    doing,
    saySame: (one, other) => isReceiverRefused(one) === isReceiverRefused(other),
    words: (answer) => (Result.isSuccess(answer) ? "it can be built" : answer.failure.detail)
  })
  return Effect.fnUntraced(function* (order) {
    const [payment, ...others] = order.payments
    const first = yield* several.ask(built(order))
    // which of several receivers is refused nobody knows: each is tried by itself, and nothing ends yet
    if (payment === undefined || others.length > 0) return yield* Effect.fromResult(first.answer)
    const about = aboutOf(payment)
    if (Result.isSuccess(first.answer)) settled(about)
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
