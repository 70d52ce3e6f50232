import type { Attempted, AttemptRecord, AttemptsReport } from "@bursar/core/port/Deliveries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Row } from "../internal/cells.ts"
import * as Cell from "../internal/cells.ts"
import {
  arrayParameter,
  type ColumnType,
  int4,
  int8,
  parameter,
  text,
  timestamptz,
  uuid
} from "../internal/columnTypes.ts"

// One statement, so one commit: everything hangs on the lease being held. Of an event that was tried twice the last
// attempt says what follows.
const statement = `with held as (
    update webhook_state s set failing_since = $4, cursor = greatest(s.cursor, $5)
      where s.tenant_id = $1 and s.endpoint_id = $2 and s.lease_token = $3 returning 1
  ), made as (
    select m.* from held, unnest($6::int8[], $7::int4[], $8::timestamptz[], $9::int4[], $10::text[], $11::int8[], $12::text[], $13::timestamptz[])
      with ordinality as m(event_id, attempt, at, status, problem, duration_ms, response_start, due_at, place)
  ), logged as (
    insert into webhook_attempt (tenant_id, endpoint_id, event_id, attempt, at, status, problem, duration_ms, response_start)
      select $1, $2, event_id, attempt, at, status, problem, duration_ms, response_start from made order by place
  ), last as (
    select distinct on (event_id) event_id, attempt, due_at from made order by event_id, place desc
  ), removed as (
    delete from webhook_delivery d using last
      where d.tenant_id = $1 and d.endpoint_id = $2 and d.event_id = last.event_id and last.due_at is null
  ), queued as (
    insert into webhook_delivery (tenant_id, endpoint_id, event_id, due_at, attempt)
      select $1, $2, event_id, due_at, attempt + 1 from last where due_at is not null
      on conflict (tenant_id, endpoint_id, event_id) do update set due_at = excluded.due_at, attempt = excluded.attempt
  ) select 1 from held`

/** Stores attempts and what follows from them; false, having stored nothing, where the lease was lost. */
export const report = (
  sql: SqlClient,
  { attempts: made, endpointId, failingSince, freshUpTo, leaseToken, tenantId }: AttemptsReport
): Effect.Effect<boolean, SqlError> => {
  const column = (type: ColumnType, of: (one: Attempted) => unknown) => arrayParameter(type, made.map(of))
  return Effect.map(
    sql.unsafe(statement, [
      parameter(uuid, tenantId),
      parameter(uuid, endpointId),
      parameter(uuid, leaseToken),
      parameter(timestamptz, failingSince),
      parameter(int8, freshUpTo === null ? null : BigInt(freshUpTo)),
      column(int8, ({ record }) => BigInt(record.eventId)),
      column(int4, ({ record }) => record.attempt),
      column(timestamptz, ({ record }) => record.at),
      column(int4, ({ record }) => record.status),
      column(text, ({ record }) => record.problem),
      column(int8, ({ record }) => BigInt(Math.round(record.durationMs))),
      // a text of the database cannot hold NUL
      column(text, ({ record }) => record.responseStart.replaceAll("\u0000", "\ufffd")),
      column(timestamptz, ({ retryAt }) => retryAt)
    ]),
    (held) => held.length === 1
  )
}

const recordOf = (row: Row): AttemptRecord => ({
  endpointId: Cell.text(row.endpoint_id),
  eventId: Cell.int(row.event_id),
  attempt: Cell.int(row.attempt),
  at: Cell.at(row.at),
  status: Cell.intOrNull(row.status),
  problem: Cell.textOrNull(row.problem),
  durationMs: Cell.int(row.duration_ms),
  responseStart: Cell.text(row.response_start)
})

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
    (rows) => rows.map(recordOf)
  )

/** The newest attempts to deliver some events of a tenant, to whichever endpoints. */
export const attemptsOf = (
  sql: SqlClient,
  tenantId: TenantId,
  eventIds: ReadonlyArray<number>,
  limit: number
): Effect.Effect<ReadonlyArray<AttemptRecord>, SqlError> =>
  Effect.map(
    sql<Row>`select * from webhook_attempt where tenant_id = ${tenantId} and event_id = any(${eventIds}::int8[])
      order by at desc, seq desc limit ${limit}`,
    (rows) => rows.map(recordOf)
  )
