import { Schema, SchemaGetter } from "effect"
import { refusedAs } from "../errors/refusedAs.ts"

/** The range and default of a whole number in a query, as OpenAPI writes them. */
export interface IntegerRange {
  readonly minimum: number
  readonly maximum: number
  readonly default?: number
}

/** The key under which a parameter's true JSON type travels to the OpenAPI repair. */
export const integerMark = "x-integer"

const digits = (range: IntegerRange) =>
  Schema.String.check(
    Schema.makeFilter(() => true, { toJsonSchema: () => ({ [integerMark]: range }) }),
    Schema.isPattern(/^-?\d{1,16}$/u, { expected: "a whole number" })
  )

/** A whole number in a query. */
export const queryInteger = (range: IntegerRange) =>
  digits(range).pipe(
    Schema.decodeTo(
      Schema.Int.check(
        Schema.isBetween(range, { expected: `a whole number from ${range.minimum} to ${range.maximum}` })
      ),
      { decode: SchemaGetter.transform(Number), encode: SchemaGetter.transform(String) }
    )
  )

/** The `limit` of a list: out of range it is refused as `limit_out_of_range`, never clamped. */
export const queryLimit = (range: IntegerRange & { readonly default: number }) =>
  digits(range).pipe(
    Schema.decodeTo(
      Schema.Int.check(
        Schema.isBetween(range, refusedAs("limit_out_of_range", `a limit from ${range.minimum} to ${range.maximum}`))
      ),
      { decode: SchemaGetter.transform(Number), encode: SchemaGetter.transform(String) }
    )
  )

/** The ranges and defaults of the lists, by resource; handlers take their defaults from here. */
export const listLimits = {
  depositAddresses: { minimum: 1, maximum: 500, default: 200 },
  deposits: { minimum: 1, maximum: 500, default: 200 },
  events: { minimum: 1, maximum: 500, default: 100 },
  statement: { minimum: 1, maximum: 500, default: 200 },
  accountEntries: { minimum: 1, maximum: 500, default: 100 },
  intakeCost: { minimum: 1, maximum: 200, default: 20 },
  register: { minimum: 1, maximum: 200, default: 100 },
  withdrawals: { minimum: 1, maximum: 200, default: 50 },
  swaps: { minimum: 1, maximum: 200, default: 50 },
  transfers: { minimum: 1, maximum: 200, default: 50 },
  operatorLists: { minimum: 1, maximum: 200, default: 50 }
} as const

/** A position in a numbered feed: an event id or a `change_seq`. */
export const queryAfter = queryInteger({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })

/** A yes-or-no parameter, written `true` or `false`. */
export const QueryFlag = Schema.Literals(["true", "false"]).pipe(
  Schema.decodeTo(Schema.Boolean, {
    decode: SchemaGetter.transform((text) => text === "true"),
    encode: SchemaGetter.transform((flag) => (flag ? ("true" as const) : ("false" as const)))
  })
)
