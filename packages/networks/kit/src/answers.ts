import { shortened as cut } from "@bursar/core/base/shortened"
import { ChainError } from "@bursar/core/port/Chain"
import { Effect, Result, Schema } from "effect"

/** How much of a node's words an error keeps. */
const detailCharsMax = 300

/** A node's words, cut to the length that fits in an error, as they can be stored. */
export const shortened = (text: string): string => cut(text, detailCharsMax)

const error =
  (reason: ChainError["reason"]) =>
  (network: string, doing: string, detail: string): ChainError =>
    new ChainError({ network, reason, doing, detail: shortened(detail) })

/** An answer contradicts itself, the question, or the protocol. */
export const inconsistent: (network: string, doing: string, detail: string) => ChainError = error("inconsistent")

/** The node does not know what it was asked for. */
export const absent: (network: string, doing: string, detail: string) => ChainError = error("absent")

/** There is no answer that can be used. */
export const unreachable: (network: string, doing: string, detail: string) => ChainError = error("unreachable")

/** The node says of itself that it is of another chain. */
export const otherChain: (network: string, doing: string, detail: string) => ChainError = error("other_chain")

/** The same error of a node that was not even asked. */
export const notAsked = ({ detail, doing, network, reason }: ChainError): ChainError =>
  new ChainError({ network, reason, doing, detail, wasAsked: false })

/** The errors of one network, and its answers read by their schemas. */
export interface NetworkAnswers {
  /** An answer contradicts itself, the question, or the protocol. */
  readonly inconsistent: (doing: string, detail: string) => ChainError
  /** The node does not know what it was asked for. */
  readonly absent: (doing: string, detail: string) => ChainError
  /** There is no answer that can be used. */
  readonly unreachable: (doing: string, detail: string) => ChainError
  /** The node says of itself that it is of another chain. */
  readonly otherChain: (doing: string, detail: string) => ChainError
  /** Reads an answer by its schema. An answer that does not fit is `inconsistent`. */
  readonly decoded: <S extends Schema.Constraint>(
    doing: string,
    schema: S,
    answer: unknown
  ) => Effect.Effect<S["Type"], ChainError, S["DecodingServices"]>
}

/** The errors and the reading of answers, bound to one network. */
export const answersOf = (network: string): NetworkAnswers => ({
  inconsistent: (doing, detail) => inconsistent(network, doing, detail),
  absent: (doing, detail) => absent(network, doing, detail),
  unreachable: (doing, detail) => unreachable(network, doing, detail),
  otherChain: (doing, detail) => otherChain(network, doing, detail),
  decoded: (doing, schema, answer) =>
    Schema.decodeUnknownEffect(schema)(answer).pipe(
      Effect.mapError(({ message }) => inconsistent(network, doing, message))
    )
})

/** Reads a part of an answer by its schema, or says in words why it cannot be read: one odd part need not spoil the rest. */
export const readable = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  part: unknown
): Result.Result<S["Type"], string> =>
  Result.mapError(Schema.decodeUnknownResult(schema)(part), ({ message }) => shortened(message))
