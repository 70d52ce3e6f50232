import { Data } from "effect"

/**
 * A call that did not succeed. `Answered`: the exchange itself said no, in its own words, with a status below 500. `Unsent`:
 * it was not made, and nothing that moves value was. `Unanswered`: everything else, after which nothing may be concluded.
 * None holds a secret or the body of a request.
 */
export class CallError extends Data.TaggedError("CallError")<{
  readonly kind: "Answered" | "Unsent" | "Unanswered"
  readonly code: string
  readonly detail: string
}> {
  override get message(): string {
    return this.code === "" ? this.detail : `${this.code}: ${this.detail}`
  }
}

/** An answer that cannot be read, or none. */
export const unanswered = (detail: string): CallError => new CallError({ kind: "Unanswered", code: "", detail })

/** What moves value was not sent. */
export const unsent = (detail: string): CallError => new CallError({ kind: "Unsent", code: "", detail })

/** Reads an exchange's own "no" out of its answer. */
export type RefusalReader = (body: unknown) => { readonly code: string; readonly message: string } | undefined
