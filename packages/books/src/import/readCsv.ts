import type { Currency as AnyCurrency } from "@bursar/core/money/Currency"
import type { ToldLine } from "@bursar/core/port/ProviderStatement"
import { idAmongSame } from "@bursar/core/reconciliation/statement/StatementLine"
import { CsvError, parse } from "csv-parse/sync"
import { createHash } from "node:crypto"
import type { CsvMapping } from "./CsvMapping.ts"
import { dateForm, momentIn } from "./moments.ts"
import { decimalUnits } from "./decimalUnits.ts"
import {
  ImportError,
  type ImportedStatement,
  importLinesMax,
  type KnownCurrencies,
  referencesOf,
  wordsOf
} from "./ImportedStatement.ts"

type Currency = Pick<AnyCurrency, "code" | "decimals">

type Row = Readonly<Record<string, string>>

/** The longest record, in characters. */
const recordMax = 100_000

const fail = (detail: string, where: string | null = null): never => {
  throw new ImportError({ detail, where })
}

/** Refuses two columns of one name: nobody could say which is meant. */
const namesOf = (names: Array<string>): Array<string> => {
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  return twice === undefined ? names : fail(`the column ${twice} stands in it twice`)
}

/** The names of the columns and the rows below them; no names where the file is empty. */
const rowsOf = (text: string, delimiter: string) => {
  let names: ReadonlyArray<string> = []
  try {
    const rows: ReadonlyArray<Row> = parse<Record<string, string>>(text, {
      bom: true,
      columns: (found: Array<string>) => (names = namesOf(found)),
      delimiter,
      skip_empty_lines: true,
      trim: true,
      max_record_size: recordMax
    })
    return { names, rows }
  } catch (error) {
    if (error instanceof CsvError) return fail(`it is no CSV: ${error.message}`)
    throw error
  }
}

/** The columns that a mapping names. */
const namedBy = ({ columns, skip }: CsvMapping): ReadonlyArray<string> => {
  const { references = [], text = [], ...single } = columns
  return [...Object.values(single), ...references, ...text, ...Object.keys(skip ?? {})]
}

const mistakeOf = ({
  columns: { amount, credit, currency, debit },
  currency: fixed,
  date
}: CsvMapping): string | undefined => {
  if ((amount === undefined) === (credit === undefined && debit === undefined))
    return "the mapping names either an amount, or a credit and a debit"
  if (amount === undefined && (credit === undefined || debit === undefined))
    return "the mapping names a credit and a debit, or an amount"
  if ((currency === undefined) === (fixed === undefined))
    return "the mapping names either a column of the currency or the currency"
  if (date !== undefined && date !== "iso" && dateForm(date) === undefined)
    return `${date} is no form of a date: it has YYYY, MM and DD`
  return undefined
}

// no group begins with 0: 0,123 is a decimal in another form than the mapping says
const groups = {
  ".": /^[+-]?[1-9]\d{0,2}(?:[,' \u00a0]\d{3})+(?:\.\d+)?$/u,
  ",": /^[+-]?[1-9]\d{0,2}(?:[.' \u00a0]\d{3})+(?:,\d+)?$/u
}
const ungrouped = { ".": /^[+-]?\d+(?:\.\d+)?$/u, ",": /^[+-]?\d+(?:,\d+)?$/u }

/** The currency that a file calls so. */
const currencyCalled = (
  called: string,
  { currencies: names = {} }: CsvMapping,
  currencies: KnownCurrencies,
  where: string | null
): Currency =>
  currencies.byCode(names[called] ?? called) ??
  fail(`the service knows no currency ${called || "without a name"}`, where)

/** A number as the file writes it, as a decimal text; undefined where it is none: 1.5 is not 15 where a comma stands before decimals. */
const plain = (text: string, decimal: "." | ","): string | undefined => {
  const signed = text.replace("\u2212", "-")
  if (ungrouped[decimal].test(signed)) return signed.replace(",", ".")
  if (!groups[decimal].test(signed)) return undefined
  return signed.replaceAll(decimal === "." ? /[,' \u00a0]/gu : /[.' \u00a0]/gu, "").replace(",", ".")
}

const reader = (mapping: CsvMapping, currencies: KnownCurrencies) => {
  const { columns, currency: fixed, date = "iso", decimal = ".", offset = "Z" } = mapping
  const form = date === "iso" ? "iso" : (dateForm(date) ?? "iso")

  const unitsAt = (row: Row, column: string | undefined, currency: Currency, where: string): bigint => {
    const text = column === undefined ? "" : (row[column] ?? "")
    if (text === "") return 0n
    return decimalUnits(plain(text, decimal) ?? "", currency) ?? fail(`${text} is no amount of ${currency.code}`, where)
  }

  /** Whether a column writes what leaves with a minus, by the first row that has something there. */
  const isNegative = new Map<string, boolean>()

  /** The size of what a column tells in one direction: files write what leaves with a minus or without, and the other sign then goes the other way. */
  const sizeAt = (row: Row, column: string | undefined, currency: Currency, where: string): bigint => {
    const units = unitsAt(row, column, currency, where)
    if (column === undefined || units === 0n) return 0n
    const signed = units < 0n
    if (signed && column === columns.credit) fail(`${row[column]} is no credit`, where)
    if (signed !== (isNegative.get(column) ?? signed))
      fail(`${row[column]} has another sign than ${column} has in rows before it`, where)
    isNegative.set(column, signed)
    return signed ? -units : units
  }

  return (row: Row, where: string): Omit<ToldLine, "id"> & { readonly id: string | undefined } => {
    const currency = currencyCalled(fixed ?? row[columns.currency ?? ""] ?? "", mapping, currencies, where)
    const text = row[columns.at] ?? ""
    const at = momentIn(text, form, offset) ?? fail(`${text || "nothing"} is no date of the form ${date}`, where)
    const size = (column: string | undefined) => sizeAt(row, column, currency, where)
    const { amount, credit, debit } = columns
    if ([amount, credit, debit].every((column) => column === undefined || (row[column] ?? "") === ""))
      fail("it has no amount", where)
    const [came, left] = [size(credit), size(debit)]
    if (came !== 0n && left !== 0n) fail("it has two amounts, a credit and a debit", where)
    const units = amount === undefined ? came - left : unitsAt(row, amount, currency, where)
    return {
      id: columns.id === undefined ? undefined : row[columns.id],
      at,
      currency: currency.code,
      units: units - size(columns.fee),
      references: referencesOf((columns.references ?? []).map((column) => row[column])),
      text: wordsOf((columns.text ?? []).map((column) => row[column] ?? ""))
    }
  }
}

/** How a row is called that has no id: by all that stands in it, and the how manieth of its kind it is. */
const rowName = (row: Row): string =>
  `row:${createHash("sha256")
    .update(JSON.stringify(Object.entries(row)))
    .digest("hex")
    .slice(0, 32)}`

/** What is said of a CSV file beside it: it says neither its name nor its period. */
export interface CsvStatement {
  readonly id: string
  readonly from: number
  readonly to: number
}

/**
 * Reads a statement from a CSV file with a row of names. It is refused where a row cannot be read, lies outside the period, or has the id
 * of another: no row is left out in silence. It may have no row that is booked where the mapping says its currency. Throws ImportError.
 */
export const readCsv = (
  text: string,
  mapping: CsvMapping,
  currencies: KnownCurrencies,
  { from, id, to }: CsvStatement
): ImportedStatement => {
  const mistake = mistakeOf(mapping)
  if (mistake !== undefined) return fail(mistake)
  const { names: columns, rows } = rowsOf(text, mapping.delimiter ?? ",")
  if (rows.length > importLinesMax) return fail(`it has more than ${importLinesMax} rows`)
  if (columns.length === 0) return fail("it has no row with the names of its columns")
  const missing = namedBy(mapping).find((column) => !columns.includes(column))
  if (missing !== undefined) return fail(`it has no column ${missing}, but ${columns.join(", ")}`)
  const skipped = ([column, texts]: readonly [string, ReadonlyArray<string>], row: Row) =>
    texts.includes(row[column] ?? "")
  const read = reader(mapping, currencies)
  const names = new Map<string, number>()
  const lines: Array<ToldLine> = []
  for (const [index, row] of rows.entries()) {
    if (Object.entries(mapping.skip ?? {}).some((rule) => skipped(rule, row))) continue
    // the first row has the names
    const where = `row ${index + 2}`
    const line = read(row, where)
    if (line.units === 0n) continue
    if (line.at < from || line.at >= to)
      fail(`${new Date(line.at).toISOString()} is outside the statement's period`, where)
    const name = line.id ?? rowName(row)
    if (name === "") fail("it has no id", where)
    const times = (names.get(name) ?? 0) + 1
    names.set(name, times)
    if (times > 1 && line.id !== undefined) fail(`the id ${name} stands twice`, where)
    lines.push({ ...line, id: idAmongSame(name, times) })
  }
  const { currency: fixed } = mapping
  const about =
    fixed === undefined
      ? [...new Set(lines.map(({ currency }) => currency))]
      : [currencyCalled(fixed, mapping, currencies, null).code]
  return about.length === 0
    ? fail(
        "it has no row that is booked, so nothing says its currency: name that in the mapping, in place of the column"
      )
    : { id, account: null, currencies: about, from, to, lines, pending: 0 }
}
