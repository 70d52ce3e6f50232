import type { JsonObject } from "../json.ts"
import type { Ledger } from "../Ledger.ts"
import { partsOf, toid } from "../toid.ts"
import { headOf, ledgerAt, type View } from "../View.ts"
import { badRequest, type Problem } from "./Problem.ts"
import { link } from "./links.ts"

const limitMax = 200
const limitDefault = 10

/** A place in history: its number, and for effects which of several there. */
export type Place = readonly [bigint, number]

/** Which part of a collection is asked for. */
export interface PageQuery {
  /** Undefined begins at an end. */
  readonly cursor: Place | undefined
  readonly order: "asc" | "desc"
  readonly limit: number
}

/** A record of a collection. */
export interface Row {
  readonly place: Place
  readonly token: string
  readonly json: () => JsonObject
}

const cursorShape = /^([0-9]{1,19})(?:-([0-9]{1,10}))?$/u

/** Reads what a question says of the page it wants. */
export const pageQuery = (view: View, query: URLSearchParams): PageQuery | Problem => {
  const order = query.get("order") ?? "asc"
  if (order !== "asc" && order !== "desc") return badRequest("order", "order: invalid value")
  const limitText = query.get("limit") ?? ""
  const limit = limitText === "" ? limitDefault : Number(limitText)
  if (!(Number.isSafeInteger(limit) && limit > 0 && limit <= limitMax)) {
    return badRequest("limit", `limit: must be a number from 1 to ${limitMax}`)
  }
  const text = query.get("cursor") ?? ""
  if (text === "") return { cursor: undefined, order, limit }
  if (text === "now") return { cursor: [toid(headOf(view).sequence + 1), 0], order, limit }
  const match = cursorShape.exec(text)
  if (match === null) return badRequest("cursor", "cursor: invalid value")
  return { cursor: [BigInt(match[1] ?? "0"), Number(match[2] ?? "0")], order, limit }
}

const isAfter = (place: Place, cursor: Place) => (place[0] === cursor[0] ? place[1] > cursor[1] : place[0] > cursor[0])

const isBefore = (place: Place, cursor: Place) => (place[0] === cursor[0] ? place[1] < cursor[1] : place[0] < cursor[0])

/** The ledgers from a cursor on, in order, as far as the view knows them. */
function* ledgersFrom(view: View, { cursor, order }: PageQuery): Generator<Ledger> {
  const top = headOf(view).sequence
  const start = cursor === undefined ? undefined : partsOf(cursor[0]).ledger
  const step = order === "asc" ? 1 : -1
  for (
    let sequence = order === "asc" ? Math.max(1, start ?? 1) : Math.min(top, start ?? top);
    sequence >= 1 && sequence <= top;
    sequence += step
  ) {
    const ledger = ledgerAt(view, sequence)
    if (ledger !== undefined) yield ledger
  }
}

/** A page of what the ledgers hold, given the rows of each in ascending order. */
export const page = (
  view: View,
  path: string,
  query: PageQuery,
  rowsOf: (ledger: Ledger) => ReadonlyArray<Row>,
  only?: Ledger
): JsonObject => {
  const { cursor, limit, order } = query
  const rows: Array<Row> = []
  for (const ledger of only === undefined ? ledgersFrom(view, query) : [only]) {
    const all = rowsOf(ledger)
    for (const row of order === "asc" ? all : all.toReversed()) {
      if (cursor !== undefined && !(order === "asc" ? isAfter : isBefore)(row.place, cursor)) continue
      rows.push(row)
      if (rows.length === limit) break
    }
    if (rows.length === limit) break
  }
  const cursorText = cursor === undefined ? "" : cursor[1] === 0 ? String(cursor[0]) : `${cursor[0]}-${cursor[1]}`
  const href = (from: string, towards: string) => link(`${path}?cursor=${from}&limit=${limit}&order=${towards}`)
  return {
    _links: {
      self: href(cursorText, order),
      next: href(rows.at(-1)?.token ?? cursorText, order),
      prev: href(rows[0]?.token ?? cursorText, order === "asc" ? "desc" : "asc")
    },
    _embedded: { records: rows.map((row) => row.json()) }
  }
}
