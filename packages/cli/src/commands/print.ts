import { printable } from "@bursar/api/wire/printable"
import { Console, type Effect } from "effect"

const shown = (value: unknown): string => {
  if (value === null || value === undefined) return "-"
  if (Array.isArray(value)) return value.length === 0 ? "(none)" : value.join(", ")
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}

/** A value as a person reads it in a table: lists with commas, nothing as a dash. What partners and providers wrote is among it. */
const cell = (value: unknown): string => printable(shown(value))

type Row = Readonly<Record<string, unknown>>

const table = (rows: ReadonlyArray<Row>): string => {
  const columns = Object.keys(rows[0] ?? {})
  const cells = [
    columns.map((column) => column.toUpperCase()),
    ...rows.map((row) => columns.map((column) => cell(row[column])))
  ]
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => (line[index] ?? "").length)))
  return cells
    .map((line) =>
      line
        .map((text, index) => text.padEnd(widths[index] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** Prints rows as a table, or as a JSON array. */
export const printRows = (json: boolean, rows: ReadonlyArray<Row>, empty: string): Effect.Effect<void> =>
  Console.log(json ? JSON.stringify(rows, null, 2) : rows.length === 0 ? empty : table(rows))

/** Prints one record, a line a field, or as a JSON object. */
export const printRecord = (json: boolean, record: Row): Effect.Effect<void> => {
  const width = Math.max(...Object.keys(record).map((name) => name.length))
  return Console.log(
    json
      ? JSON.stringify(record, null, 2)
      : Object.entries(record)
          .map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}`)
          .join("\n")
  )
}
