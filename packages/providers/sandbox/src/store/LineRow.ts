import type { ToldLine } from "@bursar/core/port/ProviderStatement"
import { Schema } from "effect"

/** A line of the sandbox's own books, as it is kept. */
export const LineRow = Schema.Struct({
  id: Schema.String,
  at: Schema.Finite,
  currency: Schema.String,
  units: Schema.BigIntFromString,
  references: Schema.Array(Schema.String),
  text: Schema.String
})

/** A line of the sandbox's own books. */
export type LineRow = typeof LineRow.Type

/** So many lines are kept, the newest. */
const linesMax = 10_000

/** What a line says beside its amount. */
export interface LineWords {
  readonly at: number
  readonly references: ReadonlyArray<string>
  readonly text: string
}

/** The lines with one more. Nothing has moved where it would be of nothing. */
export const withLine = (
  lines: ReadonlyArray<LineRow>,
  currency: string,
  units: bigint,
  words: LineWords
): ReadonlyArray<LineRow> =>
  units === 0n ? lines : [...lines, { id: `line_${crypto.randomUUID()}`, currency, units, ...words }].slice(-linesMax)

/** The lines of a period, the oldest first. */
export const linesBetween = (lines: ReadonlyArray<ToldLine>, since: number, until: number): ReadonlyArray<ToldLine> =>
  lines.filter(({ at }) => at >= since && at < until).toSorted((one, other) => one.at - other.at)
