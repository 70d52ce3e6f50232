import { Effect, Result, Schema } from "effect"
import { ChainError } from "@bursar/core/port/Chain"

const network = "tron"

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

/** How much of a node's words is kept. */
const detailCharsMax = 300

/** A text cut to what fits in an error. */
export const shortened = (text: string): string =>
  text.length > detailCharsMax ? `${text.slice(0, detailCharsMax)}…` : text

/** An answer that contradicts itself, the question, or the protocol. */
export const inconsistent = (doing: string, detail: string): ChainError =>
  new ChainError({ network, reason: "inconsistent", doing, detail: shortened(detail) })

/** The node does not know what was asked for. */
export const absent = (doing: string, detail: string): ChainError =>
  new ChainError({ network, reason: "absent", doing, detail: shortened(detail) })

/** No answer that could be used. */
export const unreachable = (doing: string, detail: string): ChainError =>
  new ChainError({ network, reason: "unreachable", doing, detail: shortened(detail) })

/** Reads an answer by its schema; what does not fit is `inconsistent`. */
export const decoded = <S extends Schema.Constraint>(
  doing: string,
  schema: S,
  answer: unknown
): Effect.Effect<S["Type"], ChainError, S["DecodingServices"]> =>
  Schema.decodeUnknownEffect(schema)(answer).pipe(Effect.mapError((error) => inconsistent(doing, error.message)))

/** Reads a part of an answer by its schema, or says in words why it cannot be read: one odd part need not spoil the rest. */
export const readable = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  part: unknown
): Result.Result<S["Type"], string> =>
  Result.mapError(Schema.decodeUnknownResult(schema)(part), (error) => shortened(error.message))
