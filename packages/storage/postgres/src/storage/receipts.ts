import { StorageError } from "@bursar/core/engine/StorageError"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Cause, Effect, Schedule } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/** Written with the head, in its statement: it is there if and only if the batch was committed. */
export const receiptStatement = "insert into commit_receipt (tenant_id, batch_id) values ($1, $6)"

/** How soon and for how long a receipt is looked for while the database cannot be reached, as while a standby takes over, or the lock is not free. */
const lookAgain = Schedule.upTo(Schedule.spaced("200 millis"), { duration: "60 seconds" })

/** Receipts are kept far longer than anybody looks for one. */
const keptFor = "10 minutes"

const pruneEvery = "1 minute"

/**
 * Whether a batch was committed whose answer was lost. Its transaction may not have ended yet: it holds the lock of the head
 * until it has, and only then the receipt tells. It tells on whatever node answers now, since it was committed with the batch.
 * Where none answers for long, the failure says that the outcome is unknown.
 */
export const wasCommitted = (
  sql: SqlClient,
  tenantId: TenantId,
  batchId: string
): Effect.Effect<boolean, StorageError> =>
  // two statements, for the second has to see what was committed while the first waited
  sql`select 1 from tenant_head where tenant_id = ${tenantId} for share`.pipe(
    Effect.andThen(sql`select 1 from commit_receipt where tenant_id = ${tenantId} and batch_id = ${batchId}`),
    Effect.map((found) => found.length === 1),
    Effect.retry(lookAgain),
    Effect.mapError(
      (cause) => new StorageError({ doing: "learn whether a commit was made", cause, outcome: "unknown" })
    )
  )

/** Drops the receipts that nobody looks for any more. The database's clock decides, as it wrote them. */
export const prune = (sql: SqlClient): Effect.Effect<unknown, SqlError> =>
  sql`delete from commit_receipt where at < now() - ${keptFor}::interval`

/** Drops old receipts for as long as it runs. What fails is tried again with the next round. */
export const pruning = (sql: SqlClient): Effect.Effect<never> =>
  prune(sql).pipe(
    Effect.catch((error) => Effect.logWarning("commit_receipts.not_pruned", Cause.fail(error))),
    Effect.delay(pruneEvery),
    Effect.forever
  )
