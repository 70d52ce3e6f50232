import type { Timestamp } from "@bursar/core/base/Timestamp"
import { idAmongSame } from "@bursar/core/reconciliation/statement/StatementLine"
import { Array as Arr, Order } from "effect"
import { ImportError, type ImportedLine, type ImportedStatement, importLinesMax } from "./ImportedStatement.ts"

/** How the id of an entry begins that has none of its own. */
export const unnamed = "\u0000"

/** A page of a statement as a file has it, or all of one. */
export interface StatementPage {
  /** What the statement calls itself on each page. */
  readonly id: string
  /** Its number, from 1; null where the statement has no pages. */
  readonly page: number | null
  readonly isLast: boolean
  readonly account: string | null
  readonly currency: string
  readonly from: Timestamp | undefined
  readonly to: Timestamp | undefined
  readonly opening: bigint | undefined
  readonly closing: bigint | undefined
  readonly lines: ReadonlyArray<ImportedLine>
  readonly pending: number
  /** Where it stands in the file. */
  readonly where: string
}

const numberOf = ({ page }: StatementPage): number => page ?? 1

/** The lines of a page. An entry without a reference is known by its place there. */
const namedLines = ({ id, lines, page }: StatementPage): ReadonlyArray<ImportedLine> => {
  const name = page === null ? id : `${id}#${page}`
  return lines.map((line) =>
    line.id.startsWith(unnamed) ? { ...line, id: `${name}/${line.id.slice(unnamed.length)}` } : line
  )
}

/** Tells apart what has one id: the first keeps it. */
const apart = () => {
  const ids = new Map<string, number>()
  return (id: string): string => {
    const times = (ids.get(id) ?? 0) + 1
    ids.set(id, times)
    return idAmongSame(id, times)
  }
}

/**
 * Lines with an id each, and their entries: some banks give one to an entry and to its fee. An entry in parts is called as the line is that
 * another statement tells it by. The parts of one share the object.
 */
const distinct = (lines: ReadonlyArray<ImportedLine>): ReadonlyArray<ImportedLine> => {
  const [nextLine, nextEntry] = [apart(), apart()]
  const entries = new Map<object, string>()
  return lines.map(({ entry, ...line }) => {
    const id = nextLine(line.id)
    const entryId = (entry && entries.get(entry)) ?? nextEntry(entry?.id ?? line.id)
    if (entry === undefined) return { ...line, id }
    entries.set(entry, entryId)
    return { ...line, id, entry: { ...entry, id: entryId } }
  })
}

/**
 * Joins the pages of a statement. It is refused where a page is missing or stands twice, where they are of several accounts, and where the
 * entries of all do not lead from the opening balance of the first to the closing balance of the last. Throws ImportError.
 */
export const joinPages = (all: readonly [StatementPage, ...ReadonlyArray<StatementPage>]): ImportedStatement => {
  const pages = Arr.sort(all, Order.mapInput(Order.Number, numberOf))
  const [{ account, currency, from, id, opening, where }] = pages
  const last = Arr.lastNonEmpty(pages)
  const fail = (detail: string): never => {
    throw new ImportError({ detail, where })
  }
  const numbers = pages.map(numberOf)
  if (new Set(numbers).size < numbers.length) fail(`statement ${id}, or a page of it, stands in it twice`)
  if (numbers.some((number, at) => number !== at + 1) || pages.some((one) => one.isLast !== (one === last)))
    fail(`statement ${id} is not whole: its pages here are ${numbers.join(", ")}, and it takes all to the last one`)
  if (pages.some((one) => one.account !== account || one.currency !== currency))
    fail(`the pages of statement ${id} are of several accounts`)
  const lines = distinct(pages.flatMap(namedLines))
  if (lines.length > importLinesMax) fail(`statement ${id} has more than ${importLinesMax} lines`)
  const { closing, to } = last
  if (opening !== undefined && closing !== undefined) {
    const expected = lines.reduce((sum, { units }) => sum + units, opening)
    if (expected !== closing)
      fail(
        `statement ${id} is not whole: its opening balance and its entries come to ${expected} base units, its closing balance is ${closing}`
      )
  }
  if (from === undefined || to === undefined) return fail("the statement says no period")
  if (from >= to) fail("the statement ends before it begins")
  const pending = pages.reduce((sum, one) => sum + one.pending, 0)
  return { id, account, currencies: [currency], from, to, lines, pending }
}
