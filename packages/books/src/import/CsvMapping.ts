import { Schema } from "effect"

const Column = Schema.NonEmptyString
const columns = Schema.Array(Column)

/**
 * Which columns of a CSV file say what, by the names in its first row. The amount is one column with its sign, or two of which one is
 * filled.
 */
export const CsvMapping = Schema.Struct({
  columns: Schema.Struct({
    at: Column,
    amount: Schema.optionalKey(Column),
    credit: Schema.optionalKey(Column),
    debit: Schema.optionalKey(Column),
    /** An amount that is taken on top of it. */
    fee: Schema.optionalKey(Column),
    currency: Schema.optionalKey(Column),
    id: Schema.optionalKey(Column),
    references: Schema.optionalKey(columns),
    text: Schema.optionalKey(columns)
  }),
  /** What the file calls currencies, by their names there. Without it they have the names of the service. */
  currencies: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  /** The currency of all rows, where no column says it. */
  currency: Schema.optionalKey(Schema.NonEmptyString),
  /** How its characters are written. Default UTF-8. */
  encoding: Schema.optionalKey(Schema.Literals(["utf-8", "iso-8859-1", "windows-1252"])),
  delimiter: Schema.optionalKey(Schema.Literals([",", ";", "\t", "|"])),
  /** What stands before the decimals. Default a point; the other one parts thousands. */
  decimal: Schema.optionalKey(Schema.Literals([".", ","])),
  /** `iso`, or the order of `YYYY`, `MM`, `DD`, `HH`, `mm` and `ss`, such as `DD.MM.YYYY HH:mm`. Default `iso`. */
  date: Schema.optionalKey(Schema.NonEmptyString),
  /** The offset of moments that say none, such as `+01:00`. Default UTC. */
  offset: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^(?:Z|[+-]\d{2}:\d{2})$/u))),
  /** Rows that are left out: those with one of these texts in a column, such as `{ "Status": ["pending"] }`. */
  skip: Schema.optionalKey(Schema.Record(Schema.String, Schema.Array(Schema.String)))
})

/** Which columns of a CSV file say what. */
export type CsvMapping = typeof CsvMapping.Type
