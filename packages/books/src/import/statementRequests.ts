import { toIso } from "@bursar/core/base/Timestamp"
import { format } from "@bursar/core/money/Amount"
import { createHash } from "node:crypto"
import type { ImportedLine, ImportedStatement } from "./ImportedStatement.ts"

/** A line as it is sent to be imported. */
export interface StatementRequestLine {
  readonly id: string
  /** Whether its id is its statement's alone. */
  readonly of_statement?: true
  /** The entry of the bank that it is a part of. */
  readonly entry?: { readonly id: string; readonly amount: StatementRequestLine["amount"] }
  readonly at: string
  readonly amount: { readonly amount: string; readonly currency: string }
  readonly references: ReadonlyArray<string>
  readonly text: string
}

/** A part of a statement as it is sent to be imported. */
export interface StatementRequest {
  readonly place: string
  readonly id: string
  readonly currencies: ReadonlyArray<string>
  readonly from: string
  readonly to: string
  readonly parts: number
  readonly digest: string
  readonly part: number
  readonly lines: ReadonlyArray<StatementRequestLine>
}

/** Versions before said neither whose an id is nor what a line is a part of: what they imported keeps its digest and its parts. */
const asBefore = (name: string, value: unknown): unknown =>
  name === "of_statement" || name === "entry" ? undefined : value

/** A request is kept well below what the service takes. */
const partBytesMax = 600_000
const partLinesMax = 500

/** The lines in as many parts as requests are needed: a statement without lines is one. */
const partsOf = (lines: ReadonlyArray<StatementRequestLine>): ReadonlyArray<ReadonlyArray<StatementRequestLine>> => {
  const parts: Array<Array<StatementRequestLine>> = [[]]
  let bytes = 0
  for (const line of lines) {
    const size = Buffer.byteLength(JSON.stringify(line, asBefore))
    const last = parts.at(-1) ?? []
    if (last.length > 0 && (last.length >= partLinesMax || bytes + size > partBytesMax)) {
      parts.push([line])
      bytes = size
    } else {
      last.push(line)
      bytes += size
    }
  }
  return parts
}

/** A statement of a file in the requests that import it: the same file gives the same requests, whoever sends them. */
export const statementRequests = (
  place: string,
  one: ImportedStatement,
  decimalsOf: (currency: string) => number
): ReadonlyArray<StatementRequest> => {
  const moneyOf = (units: bigint, currency: string) => ({ amount: format(units, decimalsOf(currency)), currency })
  const lineToWire = ({
    at,
    currency,
    entry,
    id,
    isOfStatement,
    references,
    text,
    units
  }: ImportedLine): StatementRequestLine => ({
    id,
    ...(isOfStatement && { of_statement: isOfStatement }),
    ...(entry !== undefined && { entry: { id: entry.id, amount: moneyOf(entry.units, currency) } }),
    at: toIso(at),
    amount: moneyOf(units, currency),
    references: [...references],
    text
  })
  const lines = one.lines.map(lineToWire)
  const parts = partsOf(lines)
  const header = {
    place,
    id: one.id,
    currencies: one.currencies,
    from: toIso(one.from),
    to: toIso(one.to),
    parts: parts.length,
    digest: createHash("sha256").update(JSON.stringify(lines, asBefore)).digest("hex")
  }
  return parts.map((some, part) => ({ ...header, part, lines: some }))
}
