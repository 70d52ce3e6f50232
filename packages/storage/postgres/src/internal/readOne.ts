import type { UnreadableRow } from "@bursar/core/engine/UnreadableRow"
import type { Row } from "./cells.ts"
import type { ReadTable } from "./Table.ts"

/** A row by its table and its key, as they stand in the database. */
const placeOf = ({ key, name }: Pick<ReadTable<unknown>, "key" | "name">, row: Row): string =>
  [name, ...key.map((column) => String(row[column]))].join(" ")

/** As many rows that cannot be read are noted at most. */
const mostUnreadable = 1_000

/** Reads a row, and notes one that is not what it has to be: it must not hide all others. */
export const readOne = <A>(table: ReadTable<A>, row: Row, unreadable: Map<string, UnreadableRow>): ReadonlyArray<A> => {
  try {
    return [table.read(row)]
  } catch (error) {
    const place = placeOf(table, row)
    if (unreadable.size < mostUnreadable)
      unreadable.set(place, { row: place, problem: error instanceof Error ? error.message : String(error) })
    return []
  }
}
