import { Effect, Schema, SchemaGetter, SchemaIssue } from "effect"
import { type CallError, unanswered, unsent } from "./CallError.ts"
import { type Exact, parse, toText } from "./Exact.ts"

const isExact = (value: unknown): value is Exact =>
  typeof value === "object" && value !== null && "units" in value && typeof value.units === "bigint"

/** A decimal that came as a text. A JSON number is refused: it may have lost digits already. */
export const DecimalText = Schema.String.pipe(
  Schema.decodeTo(Schema.declare(isExact), {
    decode: SchemaGetter.transformEffect((text: string) => {
      const exact = parse(text)
      return exact === undefined
        ? Effect.fail(new SchemaIssue.InvalidValue({ message: "not a decimal text" }, text))
        : Effect.succeed(exact)
    }),
    encode: SchemaGetter.transform(toText)
  })
)

/** A text that may be missing, null or empty, all of which mean nothing. */
export const MaybeText = Schema.optionalKey(Schema.NullOr(Schema.String))

/** The text, unless it means nothing. */
export const textOf = (text: string | null | undefined): string | null => (text == null || text === "" ? null : text)

/** The decimal in a text that may mean nothing. */
export const exactOf = (text: string | null | undefined): Exact | null => (text == null ? null : (parse(text) ?? null))

/** An id that may be a number on the wire. ccxt keeps those that a number cannot hold as texts. */
export const Id = Schema.Union([Schema.String, Schema.Int])

/** Our reference without dashes: the longest that exchanges take is 32 letters and digits. */
export const undashed = (reference: string): string => reference.replace(/-/gu, "")

const readsBeforeSendingMax = 3

/** What is read before something that moves value is sent: asked a few times, and if it stays unanswered, nothing was sent. */
export const beforeSending = <A>(read: Effect.Effect<A, CallError>): Effect.Effect<A, CallError> =>
  read.pipe(
    Effect.retry({ times: readsBeforeSendingMax - 1, while: (error) => error.kind === "Unanswered" }),
    Effect.mapError((error) => unsent(`it could not be prepared, so it was not sent: ${error.message}`))
  )

/** How many pages of a list are read before it counts as endless. */
export const pagesMax = 20

/** Reads a list page by page, until the reader of a page names no next one. An endless list is an answer that cannot be read. */
export const pages = Effect.fnUntraced(function* <A, C>(
  first: C,
  page: (cursor: C) => Effect.Effect<{ readonly rows: ReadonlyArray<A>; readonly next: C | null }, CallError>
): Effect.fn.Return<ReadonlyArray<A>, CallError> {
  const rows: Array<A> = []
  let cursor: C | null = first
  for (let count = 0; count < pagesMax; count++) {
    const read: { readonly rows: ReadonlyArray<A>; readonly next: C | null } = yield* page(cursor)
    rows.push(...read.rows)
    if (read.next === null) return rows
    cursor = read.next
  }
  return yield* unanswered(`a list has more than ${pagesMax} pages`)
})
