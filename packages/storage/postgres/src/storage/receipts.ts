import type { Timestamp } from "@bursar/core/base/Timestamp"
import { StorageError } from "@bursar/core/engine/StorageError"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Cause, Effect, Schedule } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Row } from "../internal/cells.ts"
import * as Cell from "../internal/cells.ts"

/** Written with the head, in its statement: it is there if and only if the batch was committed. */
export const receiptStatement = "insert into commit_receipt (tenant_id, batch_id) values ($1, $6)"

/** How soon and for how long a receipt is looked for while the database cannot be reached, as while a standby takes over, or the lock is not free. */
const lookAgain = Schedule.upTo(Schedule.spaced("200 millis"), { duration: "60 seconds" })

/** Receipts are kept far longer than anybody looks for one, unless a process stood still or the database's clock leapt meanwhile. */
const keptForMs = 600_000

/** For how long after the lock was granted a receipt that is not there was never there. */
const toldForMs = keptForMs / 2

const pruneEvery = "1 minute"

/**
 * Whether a batch was committed whose answer was lost. Its transaction may not have ended yet: it holds the lock of the head
 * until it has, and only then the receipt tells. It tells on whatever node answers now, since it was committed with the batch.
 * Where none answers for long, or so much time has passed since the lock was granted that a receipt may have been dropped, the failure says that
 * the outcome is unknown.
 */
export const wasCommitted = (
  sql: SqlClient,
  tenantId: TenantId,
  { batchId, lockedAt }: { readonly batchId: string; readonly lockedAt: Timestamp }
): Effect.Effect<boolean, StorageError> =>
  // two statements, for the second has to see what was committed while the first waited
  sql`select 1 from tenant_head where tenant_id = ${tenantId} for share`.pipe(
    Effect.andThen(sql<Row>`select clock_timestamp() as now, exists (
      select 1 from commit_receipt where tenant_id = ${tenantId} and batch_id = ${batchId}) as is_there`),
    Effect.retry(lookAgain),
    Effect.flatMap(([row]) => {
      if (row?.["is_there"] === true) return Effect.succeed(true)
      const passedMs = Cell.at(row?.["now"]) - lockedAt
      return Math.abs(passedMs) < toldForMs
        ? Effect.succeed(false)
        : Effect.fail(new Error(`the database's clock has gone on by ${passedMs} ms since`))
    }),
    Effect.mapError(
      (cause) => new StorageError({ doing: "learn whether a commit was made", cause, outcome: "unknown" })
    )
  )

/** Drops the receipts that nobody looks for any more. The database's clock decides, as it wrote them. */
export const prune = (sql: SqlClient): Effect.Effect<unknown, SqlError> =>
  sql`delete from commit_receipt where at < now() - ${keptForMs} * interval '1 millisecond'`

/** Drops old receipts for as long as it runs. What fails is tried again with the next round. */
export const pruning = (sql: SqlClient): Effect.Effect<never> =>
  prune(sql).pipe(
    Effect.catch((error) => Effect.logWarning("commit_receipts.not_pruned", Cause.fail(error))),
    Effect.delay(pruneEvery),
    Effect.forever
  )
