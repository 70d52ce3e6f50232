import type { Memo } from "@bursar/core/port/Chain"
import * as Cell from "../internal/cells.ts"

const types: ReadonlyArray<Memo["type"]> = ["text", "id", "hash", "return"]

/** A memo that was stored as json; null where there is none. */
export const memoOf = (cell: unknown): Memo | null => {
  if (cell === null || cell === undefined) return null
  const { type, value } = Cell.object(cell)
  return { type: Cell.oneOf(types, type), value: Cell.text(value) }
}
