import { answersOf, type NetworkAnswers } from "@bursar/network-kit/answers"

export { readable } from "@bursar/network-kit/answers"

const answers = answersOf("stellar")

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
