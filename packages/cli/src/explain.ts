import { Cause } from "effect"

/** A failure as the person at the terminal needs it: our own errors in their words, a bug with all that is known of it. */
export const explain = (cause: Cause.Cause<unknown>): string =>
  cause.reasons.some((reason) => reason._tag === "Die")
    ? Cause.pretty(cause)
    : cause.reasons
      .flatMap((reason) => (reason._tag === "Fail" ? [reason.error] : []))
      .map((error) => {
        if (!(error instanceof Error)) return String(error)
        const hint = "hint" in error && typeof error.hint === "string" ? ` ${error.hint}` : ""
        return `${error.message}${hint}`
      })
      .join("\n")
