import { Effect } from "effect"
import type { UnreadableRow } from "../engine/UnreadableRow.ts"

/** Tells operators of a row that the books are compared by and that somebody has made unreadable in the database (`reconciliation.row_unreadable`). */
export const logUnreadable = ({ problem, row }: UnreadableRow): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logError("reconciliation.row_unreadable"), { row, reason: problem })
