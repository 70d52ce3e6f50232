import { ChainError } from "@bursar/core/port/Chain"
import { CannotBuild, type ChainSender, type SendOrder, type UnsignedTransaction } from "@bursar/core/port/ChainSender"
import { Clock, Effect, Result } from "effect"
import { type AnswerKind, agreedAnswer } from "./agreedAnswer.ts"
import { paymentWords, receiverKind } from "./agreedReceiver.ts"
import type { SaidElsewhere } from "./otherOperators.ts"
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

const reasonOf = (answer: Built): CannotBuild["reason"] | undefined =>
  Result.isFailure(answer) ? answer.failure.reason : undefined

const answerKind: AnswerKind<Built> = {
  doing,
  subject: "build",
  log: Effect.logError("transaction.build_disputed"),
  saySame: (one, other) => reasonOf(one) === reasonOf(other),
  words: (answer) => (Result.isSuccess(answer) ? "it can be built" : answer.failure.detail)
}

/** What a second node says of the receiver, by building the order as well. Why else it cannot build it says nothing of that. */
const saysOfReceiver = (order: SendOrder, sender: Pick<ChainSender, "build">): Effect.Effect<Built, ChainError> =>
  Effect.flatMap(built(order)(sender), (answer) => {
    if (Result.isSuccess(answer) || answer.failure.reason === "destination_invalid") return Effect.succeed(answer)
    const { detail, network } = answer.failure
    return new ChainError({ network, reason: "unreachable", doing, detail })
  })

const guardWords = ({ from, guard }: SendOrder): string => {
  if (guard._tag === "Sequence") return `number ${guard.sequence} of ${guard.account}`
  const outputs = guard._tag === "Utxos" ? guard.utxos.map(({ txHash, vout }) => `${txHash}:${vout}`) : []
  return `${outputs.join(" and ")} of ${from}`
}

/** Whether an order is for what was signed before, or for nothing at all: it lets nobody be paid that would not be paid without it. */
const paysNobodyNew = ({ payments, replacing, trustlines = [] }: SendOrder): boolean =>
  replacing !== null || (payments.length === 0 && trustlines.length === 0)

/** What an order is for, in words that are the same for each try of it, and for no other order that a node may tell from it. */
const aboutOf = (order: SendOrder): string => {
  if (paysNobodyNew(order)) return `what uses ${guardWords(order)}`
  const { from, payments, trustlines = [] } = order
  const does = [...payments.map(paymentWords), ...trustlines.map((contract) => `an agreement to hold ${contract}`)]
  return `${does.join(", ")} by ${from}`
}

/**
 * How a refusal of one node is dealt with. `ends`: it ends what is built for. `keeps`: what is built for keeps its number until it is built.
 * `frees`: it gives the number back and is tried again. `split`: which of several payments is refused nobody knows, so each is tried by itself.
 */
const kindOf = (order: SendOrder, { reason }: CannotBuild): "ends" | "keeps" | "frees" | "split" => {
  if (reason === "fee_capped" || paysNobodyNew(order)) return "keeps"
  if (order.payments.length > 1) return "split"
  return reason === "destination_invalid" ? "ends" : "frees"
}

const buildAmong = (said: ReadonlyArray<SaidElsewhere<Built>>): UnsignedTransaction | undefined =>
  said
    .flatMap(({ answer }) =>
      Result.isSuccess(answer) && Result.isSuccess(answer.success) ? [answer.success.success] : []
    )
    .at(0)

/**
 * Builds at one node. That the receiver cannot be paid, which ends what is built for, counts where nodes of two operators say so. What would
 * keep a number for as long as one node refuses is built by a node of another operator that can: the signer and the cap of fees bind
 * both. Where nodes do not agree for long it cannot be built now, so that what it has reserved keeps nothing else waiting.
 */
export const agreedBuild = (several: SeveralNodes): ChainSender["build"] => {
  const receivers = agreedAnswer<Built>(several, { ...answerKind, ...receiverKind })
  const builds = agreedAnswer<Built>(several, answerKind)
  const settled = (about: string): void => {
    receivers.settled(about)
    builds.settled(about)
  }
  return Effect.fnUntraced(function* (order) {
    const first = yield* several.ask(built(order))
    const about = aboutOf(order)
    if (Result.isSuccess(first.answer)) {
      settled(about)
      return first.answer.success
    }
    const refused = first.answer.failure
    const kind = kindOf(order, refused)
    if (kind === "split") return yield* refused
    const { waitedMs, weighed } = kind === "ends" ? receivers : builds
    const said = yield* several.elsewhere(first.index, ({ sender }) =>
      kind === "ends" ? saysOfReceiver(order, sender) : built(order)(sender)
    )
    const other = kind === "keeps" ? buildAmong(said) : undefined
    if (other !== undefined) {
      settled(about)
      return other
    }
    const answer = yield* Effect.result(weighed({ about, ...first }, said))
    if (Result.isSuccess(answer)) return yield* Effect.fromResult(answer.success)
    const { failure } = answer
    const waited = waitedMs(about, yield* Clock.currentTimeMillis)
    if (kind === "frees" && failure.reason !== "inconsistent") return yield* refused
    if (kind !== "frees" && waited < patienceMs) return yield* failure
    const { detail, missing, network, reason } = refused
    // the longer nodes differ, the later: each try takes a number, and one that others came after has to be used up, for a fee
    const retryAfterMs = Math.min(waited, retryLongestMs)
    return yield* kind === "frees"
      ? new CannotBuild({ network, reason, detail, missing, retryAfterMs })
      : new CannotBuild({ network, reason: "node_unreadable", detail: failure.detail, missing: null, retryAfterMs })
  })
}
