import { Schema } from "effect"

/**
 * Base units, US cents or an amount as details keep it: a decimal string, never a number. Whoever computes with it reads the digits:
 * what is no number makes no sense to the checker, which names the row.
 */
export const Decimal = Schema.String

/** A text, or null where nothing is known. */
export const TextOrNull = Schema.NullOr(Schema.String)

/** A decimal string, or null where nothing is known. */
export const DecimalOrNull = Schema.NullOr(Decimal)

/** A moment, in Unix milliseconds. */
export const Moment = Schema.Finite

/** Fields of details, by the names under which they are stored. */
export type Fields = { readonly [field: string]: Schema.Schema<unknown> }

/** Details of these fields. Any may be absent: rows of earlier versions have fewer. */
export type DetailsWith<F extends Fields> = { readonly [field in keyof F]?: F[field]["Type"] }
