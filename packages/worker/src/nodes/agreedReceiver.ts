import type { ChainSender, Payment, Preflight } from "@bursar/core/port/ChainSender"
import { Effect } from "effect"
import { type AnswerKind, agreedAnswer } from "./agreedAnswer.ts"
import type { SeveralNodes } from "./SeveralNodes.ts"

/** Whom operators are told of where nodes differ about a receiver. */
export const receiverKind = {
  subject: "receiver",
  log: Effect.logError("transaction.receiver_disputed")
} as const satisfies Partial<AnswerKind<unknown>>

/** A payment in words. What a node says of one it says of no other: a receiver that takes one amount may refuse another. */
export const paymentWords = ({ contract, memo, to, units }: Payment): string =>
  `${units} units${contract === null ? "" : ` of ${contract}`} to ${to}${memo === null ? "" : ` with the ${memo.type} ${memo.value}`}`

/** Whether a receiver can be paid: a payout ends by a refusal only where nodes of two operators refuse. */
export const agreedPreflight = (several: SeveralNodes): ChainSender["preflight"] => {
  const { agreed, settled } = agreedAnswer<Preflight>(several, {
    ...receiverKind,
    doing: "ask a second node whether a receiver can be paid",
    saySame: (one, other) => one._tag === other._tag,
    words: (found) => (found._tag === "Payable" ? "it can be paid" : found.message)
  })
  return Effect.fnUntraced(function* (payment) {
    const first = yield* several.ask((sender) => sender.preflight(payment))
    const about = paymentWords(payment)
    if (first.answer._tag === "Payable") {
      settled(about)
      return first.answer
    }
    return yield* agreed({ about, ...first }, ({ sender }) => sender.preflight(payment))
  })
}
