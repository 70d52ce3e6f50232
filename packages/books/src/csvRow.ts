import { oneLine } from "./plainText.ts"

/** What makes a spreadsheet take a cell for a formula; an apostrophe in front is escaped too, so that it can be taken away again. */
const formula = /^[=+\-@'\t\r]/u

/** A foreign text as a cell: on one line, and never a formula. */
export const foreign = (text: string): string => {
  const line = oneLine(text)
  return formula.test(line) ? `'${line}` : line
}

const cell = (text: string): string => (/[",\n\r]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** A row of CSV (RFC 4180). Foreign texts go through `foreign` first. */
export const csvRow = (cells: ReadonlyArray<string>): string => `${cells.map(cell).join(",")}\r\n`
