import type { UnreadableRow } from "@bursar/core/engine/UnreadableRow"
import type { ReadableRecords } from "@bursar/core/store/Queries"
import type { Row } from "./cells.ts"
import type { ReadTable } from "./Table.ts"

/** A row by its table and its key, as they stand in the database. */
const placeOf = ({ key, name }: Pick<ReadTable<unknown>, "key" | "name">, row: Row): string =>
  [name, ...key.map((column) => String(row[column]))].join(" ")

/** As many rows that cannot be read are noted at most. */
const mostUnreadable = 1_000

/** Reads a row, and notes one that is not what it has to be: it must not hide all others. */
export const readOne = <A>(
  table: Pick<ReadTable<A>, "key" | "name" | "read">,
  row: Row,
  unreadable: Map<string, UnreadableRow>
): ReadonlyArray<A> => {
  try {
    return [table.read(row)]
  } catch (error) {
    const place = placeOf(table, row)
    if (unreadable.size < mostUnreadable)
      unreadable.set(place, { row: place, problem: error instanceof Error ? error.message : String(error) })
    return []
  }
}

/** Reads the rows of a list that guards money, each apart: those that cannot be read are named beside the others, for whoever tells of them. */
export const readApart = <A>(
  table: Pick<ReadTable<A>, "key" | "name" | "read">,
  rows: ReadonlyArray<Row>
): ReadableRecords<A> => {
  const unreadable = new Map<string, UnreadableRow>()
  const records = rows.flatMap((row) => readOne(table, row, unreadable))
  return { records, unreadable: [...unreadable.values()] }
}
