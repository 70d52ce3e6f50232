import { ErrorBody } from "@bursar/api/errors/ErrorBody"
import { printableLines } from "@bursar/api/wire/printable"
import { Cause, Schema } from "effect"

const isRefusal = Schema.is(ErrorBody)

/** The fields that a server did not take, one a line. */
const fieldsOf = (error: unknown): string =>
  isRefusal(error) ? (error.error.fields ?? []).map(({ message, path }) => `\n  - ${path}: ${message}`).join("") : ""

/** What caused an error and says more than that: what only wraps another in the same words tells nothing, as with what a database has answered. */
const causeOf = (error: Error): Error | undefined => {
  let { cause } = error
  while (cause instanceof Error && error.message.includes(cause.message)) ({ cause } = cause)
  return cause instanceof Error ? cause : undefined
}

/** What an error says of itself: its words, or the first words among its causes, and the hint it carries. */
const wordsOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.message === "" && error.cause !== undefined) return wordsOf(error.cause)
  const hint = "hint" in error && typeof error.hint === "string" ? ` ${error.hint}` : ""
  const cause = causeOf(error)
  return `${error.message || error.name}${cause === undefined ? "" : `: ${wordsOf(cause)}`}${hint}${fieldsOf(error)}`
}

/**
 * A failure as the person at the terminal needs it: our own errors in their words, a bug with all that is known of it. Words of partners,
 * nodes and providers are among them.
 */
export const explain = (cause: Cause.Cause<unknown>): string =>
  printableLines(
    cause.reasons.some((reason) => reason._tag === "Die")
      ? Cause.pretty(cause)
      : cause.reasons.flatMap((reason) => (reason._tag === "Fail" ? [wordsOf(reason.error)] : [])).join("\n")
  )
