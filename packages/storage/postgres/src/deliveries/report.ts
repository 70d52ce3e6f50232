import type { AttemptRecord, AttemptReport } from "@bursar/core/port/Deliveries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Row } from "../internal/cells.ts"
import * as Cell from "../internal/cells.ts"
import { int4, int8, parameter, text, timestamptz, uuid } from "../internal/columnTypes.ts"

// one statement, so one commit: everything hangs on the lease being held. An event that was queued says nothing of
// those before it, which may not have been tried yet, and so does not move the cursor.
const statement = `with held as (
    update webhook_state s set failing_since = $5, cursor = case
        when exists (select 1 from webhook_delivery d where d.tenant_id = $1 and d.endpoint_id = $2 and d.event_id = $4)
        then s.cursor else greatest(s.cursor, $4) end
      where s.tenant_id = $1 and s.endpoint_id = $2 and s.lease_token = $3 returning 1
  ), logged as (
    insert into webhook_attempt (tenant_id, endpoint_id, event_id, attempt, at, status, problem, duration_ms, response_start)
      select $1, $2, $4, $6, $7, $8, $9, $10, $11 from held
  ), removed as (
    delete from webhook_delivery d using held
      where d.tenant_id = $1 and d.endpoint_id = $2 and d.event_id = $4 and $12::timestamptz is null
  ), queued as (
    insert into webhook_delivery (tenant_id, endpoint_id, event_id, due_at, attempt)
      select $1, $2, $4, $12, $6 + 1 from held where $12::timestamptz is not null
      on conflict (tenant_id, endpoint_id, event_id) do update set due_at = excluded.due_at, attempt = excluded.attempt
  ) select 1 from held`

/** Stores an attempt and what follows from it; false, having stored nothing, where the lease was lost. */
export const report = (sql: SqlClient, attempt: AttemptReport): Effect.Effect<boolean, SqlError> =>
  Effect.map(
    sql.unsafe(statement, [
      parameter(uuid, attempt.tenantId),
      parameter(uuid, attempt.endpointId),
      parameter(uuid, attempt.leaseToken),
      parameter(int8, BigInt(attempt.record.eventId)),
      parameter(timestamptz, attempt.failingSince),
      parameter(int4, attempt.record.attempt),
      parameter(timestamptz, attempt.record.at),
      parameter(int4, attempt.record.status),
      parameter(text, attempt.record.problem),
      parameter(int8, BigInt(Math.round(attempt.record.durationMs))),
      // a text of the database cannot hold NUL
      parameter(text, attempt.record.responseStart.replaceAll("\u0000", "\ufffd")),
      parameter(timestamptz, attempt.retryAt)
    ]),
    (held) => held.length === 1
  )

/** The newest attempts of an endpoint. */
export const attempts = (
  sql: SqlClient,
  tenantId: TenantId,
  endpointId: string,
  limit: number
): Effect.Effect<ReadonlyArray<AttemptRecord>, SqlError> =>
  Effect.map(
    sql<Row>`select * from webhook_attempt where tenant_id = ${tenantId} and endpoint_id = ${endpointId}
      order by seq desc limit ${limit}`,
    (rows) =>
      rows.map((row) => ({
        endpointId: Cell.text(row.endpoint_id),
        eventId: Cell.int(row.event_id),
        attempt: Cell.int(row.attempt),
        at: Cell.at(row.at),
        status: Cell.intOrNull(row.status),
        problem: Cell.textOrNull(row.problem),
        durationMs: Cell.int(row.duration_ms),
        responseStart: Cell.text(row.response_start)
      }))
  )
