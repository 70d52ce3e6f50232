import { printable } from "@bursar/api/wire/printable"
import { Console, Effect, type PlatformError, Stream, type Stdio } from "effect"
import { CommandFailed } from "../config/CommandFailed.ts"
import { writeOut } from "./exportFile.ts"

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

/** Prints a text on lines of its own. Fails where it cannot be written: what is shown once must not be lost unnoticed. */
export const printText = (text: string): Effect.Effect<void, PlatformError.PlatformError, Stdio.Stdio> =>
  writeOut(Stream.encodeText(Stream.succeed(`${text}\n`)))

/** Prints rows as a table, or as a JSON array. */
export const printRows = (json: boolean, rows: ReadonlyArray<Row>, empty: string) =>
  printText(json ? JSON.stringify(rows, null, 2) : rows.length === 0 ? empty : table(rows))

/** Prints one record, a line a field, or as a JSON object. */
export const printRecord = (json: boolean, record: Row) => {
  const width = Math.max(...Object.keys(record).map((name) => name.length))
  return printText(
    json
      ? JSON.stringify(record, null, 2)
      : Object.entries(record)
          .map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}`)
          .join("\n")
  )
}

/** Prints what was made and is shown once, as a record. Where it cannot be written, fails with what is to be done about what was made (`otherwise`). */
export const printOnce = (json: boolean, record: Row, otherwise: string) =>
  Effect.mapError(
    printRecord(json, record),
    (error) => new CommandFailed({ message: `${error.message}\nWhat is shown once was lost. ${otherwise}` })
  )

/** Says how the next page is asked for, below one that is full. It goes where errors go: a program reads nothing but the page. */
export const printNext = (page: ReadonlyArray<{ readonly id: string }>, limit: number): Effect.Effect<void> => {
  const last = page.at(-1)
  return last === undefined || page.length < limit
    ? Effect.void
    : Console.error(`There may be more: --after ${last.id}`)
}
