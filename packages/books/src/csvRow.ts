import { oneLine } from "./plainText.ts"

/** What makes a spreadsheet take a cell for a formula; an apostrophe in front is escaped too, so that it can be taken away again. */
const formula = /^[=+\-@']/u

const unlessFormula = (line: string, seen: string): string => (formula.test(seen) ? `'${line}` : line)

/**
 * A foreign text as a cell: on one line, and never a formula, also for spreadsheets that pass over spaces in front or take wide
 * characters for plain ones. Where a semicolon separates cells, it does not make two of it: it is percent-encoded.
 */
export const foreign = (text: string): string => {
  const line = oneLine(text).replaceAll(";", "%3B")
  return unlessFormula(line, line.normalize("NFKC").trimStart())
}

/** A foreign text as statements of version 1 have it, whose bytes were hashed. */
export const foreignInVersion1 = (text: string): string => {
  const line = oneLine(text)
  return unlessFormula(line, line)
}

const cell = (text: string): string => (/[",\n\r]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** A row of CSV (RFC 4180). Foreign texts go through `foreign` first. */
export const csvRow = (cells: ReadonlyArray<string>): string => `${cells.map(cell).join(",")}\r\n`
