import { Schema } from "effect"
import { answersOf, type NetworkAnswers } from "@bursar/network-kit/answers"

export { readable, shortened } from "@bursar/network-kit/answers"

/** The node has no such endpoint. */
export class MissingEndpoint extends Schema.TaggedError<MissingEndpoint>()("MissingEndpoint", {
  doing: Schema.String,
  path: Schema.String
}) {}

/** The node's answer is larger than what is read of one. */
export class AnswerTooLarge extends Schema.TaggedError<AnswerTooLarge>()("AnswerTooLarge", {
  doing: Schema.String,
  path: Schema.String,
  bytesMax: Schema.Int
}) {}

const answers = answersOf("tron")

/** An answer contradicts itself, the question, or the protocol. */
export const inconsistent: NetworkAnswers["inconsistent"] = answers.inconsistent

/** The node does not know what it was asked for. */
export const absent: NetworkAnswers["absent"] = answers.absent

/** There is no answer that can be used. */
export const unreachable: NetworkAnswers["unreachable"] = answers.unreachable

/** The node says of itself that it is of another chain. */
export const otherChain: NetworkAnswers["otherChain"] = answers.otherChain

/** Reads an answer by its schema. An answer that does not fit is `inconsistent`. */
export const decoded: NetworkAnswers["decoded"] = answers.decoded
