import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { Job } from "@bursar/core/engine/Job"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Layer } from "effect"
import { Connection } from "./Connection.ts"
import { attempt, attemptChange } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"

const jobOf = (queue: string, row: Row): Job => ({
  tenantId: TenantId(Cell.text(row.tenant_id)),
  queue,
  key: Cell.text(row.key),
  dueAt: Cell.at(row.due_at)
})

/** What the processes of the worker have to do, over all tenants. */
export const layer = Layer.effect(
  JobQueue,
  Effect.gen(function* () {
    const { sql } = yield* Connection
    const longestDue = (queue: string, now: Timestamp, limit: number) =>
      sql<Row>`select tenant_id, key, due_at from job
        where queue = ${queue} and due_at <= ${new Date(now)} order by due_at limit ${limit}`
    // it reads all that is due: only where that is more than asked for
    const inTurn = (queue: string, now: Timestamp, limit: number) =>
      sql<Row>`select tenant_id, key, due_at from (
          select tenant_id, key, due_at, row_number() over (partition by tenant_id order by due_at) as turn from job
          where queue = ${queue} and due_at <= ${new Date(now)}
        ) as waiting order by turn, due_at limit ${limit}`
    return JobQueue.of({
      due: (queue, now, limit) =>
        longestDue(queue, now, limit + 1).pipe(
          Effect.flatMap((rows) => (rows.length <= limit ? Effect.succeed(rows) : inTurn(queue, now, limit))),
          Effect.map((rows) => rows.map((row) => jobOf(queue, row))),
          attempt("read a queue")
        ),
      dueOf: (tenantId, queue, now, limit) =>
        sql<Row>`select tenant_id, key, due_at from job
          where tenant_id = ${tenantId} and queue = ${queue} and due_at <= ${new Date(now)} order by due_at limit ${limit}`.pipe(
          Effect.map((rows) => rows.map((row) => jobOf(queue, row))),
          attempt("read a queue")
        ),
      // what begins with the key and `|` comes before what begins with it and the next character, `}`
      expedite: (queue, key, now) =>
        sql`update job set due_at = least(due_at - interval '1 millisecond', ${new Date(now)}) where queue = ${queue}
          and (key collate "C" = ${key} or (key collate "C" >= ${`${key}|`} and key collate "C" < ${`${key}}`}))`.pipe(
          Effect.asVoid,
          attemptChange("expedite a queue")
        )
    })
  })
)
