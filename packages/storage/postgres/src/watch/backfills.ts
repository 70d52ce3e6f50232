import type { BackfillJob } from "@bursar/core/store/WatchState"
import type { Row } from "../internal/cells.ts"
import * as Cell from "../internal/cells.ts"
import { selectList } from "../internal/Table.ts"
import { backfillTable } from "../table/backfillTable.ts"

/** A job to read the past as it is stored. */
export const readJob = (row: Row): BackfillJob => ({
  ...backfillTable.read(row),
  nextBlock: Cell.intOrNull(row.next_block),
  lastBlock: Cell.intOrNull(row.last_block),
  dueAt: Cell.atOrNull(row.due_at),
  failures: Cell.int(row.failures),
  problem: Cell.textOrNull(row.problem),
  ended:
    row.ended_at === null
      ? null
      : { by: Cell.text(row.ended_by), reason: Cell.text(row.end_reason), at: Cell.at(row.ended_at) }
})

/** The columns of a job `t`. */
export const jobColumns = `${selectList(backfillTable, "t")}, t.next_block, t.last_block, t.due_at, t.failures, t.problem,
  t.ended_by, t.end_reason, t.ended_at`

/** Whether a job `t` has blocks that were not read, as the indexes say it. */
export const isUnread = "(t.next_block is null or t.next_block <= t.last_block)"

/** The jobs of a network ($1) that are due by a moment ($2), at most so many ($3). It reads none that is put off beyond that moment. */
export const dueBackfillsStatement = `select ${jobColumns} from (
    select t.*, coalesce(t.due_at, t.created_at) as waiting_since, row_number() over (
      partition by t.tenant_id order by coalesce(t.due_at, t.created_at), t.created_at, t.backfill_id) as turn
    from backfill t where t.network = $1 and ${isUnread} and t.ended_at is null
      and coalesce(t.due_at, t.created_at) <= $2
  ) t order by t.turn, t.waiting_since, t.created_at, t.backfill_id limit $3`
