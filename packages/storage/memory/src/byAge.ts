import type { Timestamp } from "@bursar/core/base/Timestamp"

/** Compares texts by their code units, as databases compare ids. */
export const compareText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)

/** Orders records oldest first, those of the same moment by id. */
export const byAge = (
  left: { readonly createdAt: Timestamp; readonly id: string },
  right: { readonly createdAt: Timestamp; readonly id: string }
): number => left.createdAt - right.createdAt || compareText(left.id, right.id)
