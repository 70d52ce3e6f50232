import type { StorageError } from "@bursar/core/engine/StorageError"
import type { AttemptRecord, AttemptsReport } from "@bursar/core/port/Deliveries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Cause, Deferred, Effect, Exit } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Row } from "../internal/cells.ts"
import { attemptChange } from "../internal/attempt.ts"
import * as Cell from "../internal/cells.ts"
import { arrayParameter, type ColumnType, int4, int8, text, timestamptz, uuid } from "../internal/columnTypes.ts"

// One statement, so one commit: everything of a report hangs on its lease being held. Of an event that was tried twice the
// last attempt says what follows. What was queued again since an attempt began is not of that attempt, and stays.
const statement = `with held as (
    update webhook_state s set failing_since = r.failing_since, cursor = greatest(s.cursor, r.fresh_up_to)
      from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[], $5::int8[])
        with ordinality as r(tenant_id, endpoint_id, lease_token, failing_since, fresh_up_to, number)
      where s.tenant_id = r.tenant_id and s.endpoint_id = r.endpoint_id and s.lease_token = r.lease_token
      returning s.tenant_id, s.endpoint_id, r.number
  ), made as (
    select h.tenant_id, h.endpoint_id, m.* from held h
      join unnest($6::int8[], $7::int8[], $8::int4[], $9::timestamptz[], $10::int4[], $11::text[], $12::int8[], $13::text[], $14::timestamptz[])
        with ordinality as m(number, event_id, attempt, at, status, problem, duration_ms, response_start, due_at, place)
        on m.number = h.number
  ), logged as (
    insert into webhook_attempt (tenant_id, endpoint_id, event_id, attempt, at, status, problem, duration_ms, response_start)
      select tenant_id, endpoint_id, event_id, attempt, at, status, problem, duration_ms, response_start from made order by place
  ), last as (
    select distinct on (number, event_id) tenant_id, endpoint_id, event_id, attempt, at, due_at from made
      order by number, event_id, place desc
  ), removed as (
    delete from webhook_delivery d using last
      where d.tenant_id = last.tenant_id and d.endpoint_id = last.endpoint_id and d.event_id = last.event_id and last.due_at is null
        and d.attempt = last.attempt and d.due_at <= last.at
  ), queued as (
    insert into webhook_delivery (tenant_id, endpoint_id, event_id, due_at, attempt)
      select tenant_id, endpoint_id, event_id, due_at, attempt + 1 from last where due_at is not null
      on conflict (tenant_id, endpoint_id, event_id) do update set due_at = excluded.due_at, attempt = excluded.attempt
        where webhook_delivery.attempt = excluded.attempt - 1
          and webhook_delivery.due_at <= (select max(last.at) from last where last.tenant_id = webhook_delivery.tenant_id
            and last.endpoint_id = webhook_delivery.endpoint_id and last.event_id = webhook_delivery.event_id)
  ) select number from held`

/** Stores some reports at once, each of a lease of its own; says which were stored: not those whose lease was lost. */
const storeAll = (
  sql: SqlClient,
  reports: ReadonlyArray<AttemptsReport>
): Effect.Effect<ReadonlySet<AttemptsReport>, SqlError> => {
  const made = reports.flatMap(({ attempts: all }, at) => all.map((one) => ({ ...one, number: BigInt(at + 1) })))
  const ofReport = (type: ColumnType, of: (one: AttemptsReport) => unknown) => arrayParameter(type, reports.map(of))
  const ofAttempt = (type: ColumnType, of: (one: (typeof made)[number]) => unknown) =>
    arrayParameter(type, made.map(of))
  return Effect.map(
    sql.unsafe<Row>(statement, [
      ofReport(uuid, ({ tenantId }) => tenantId),
      ofReport(uuid, ({ endpointId }) => endpointId),
      ofReport(uuid, ({ leaseToken }) => leaseToken),
      ofReport(timestamptz, ({ failingSince }) => failingSince),
      ofReport(int8, ({ freshUpTo }) => (freshUpTo === null ? null : BigInt(freshUpTo))),
      ofAttempt(int8, ({ number }) => number),
      ofAttempt(int8, ({ record }) => BigInt(record.eventId)),
      ofAttempt(int4, ({ record }) => record.attempt),
      ofAttempt(timestamptz, ({ record }) => record.at),
      ofAttempt(int4, ({ record }) => record.status),
      ofAttempt(text, ({ record }) => record.problem),
      ofAttempt(int8, ({ record }) => BigInt(Math.round(record.durationMs))),
      ofAttempt(text, ({ record }) => record.responseStart),
      ofAttempt(timestamptz, ({ retryAt }) => retryAt)
    ]),
    (held) => new Set(held.flatMap((row) => reports[Cell.int(row["number"]) - 1] ?? []))
  )
}

/** How many attempts one statement stores at most, but for those of one report. */
const attemptsMax = 1_000

/** How long a report waits for others: what was delivered keeps nothing else from being sent meanwhile. */
const gatherMs = 4

interface Waiting {
  readonly report: AttemptsReport
  readonly answer: Deferred.Deferred<boolean, StorageError>
}

/** Takes the first that wait; of each lease one, as the next may build on it. */
const takeSome = (waiting: Array<Waiting>): ReadonlyArray<Waiting> => {
  const leases = new Set<string>()
  let attempts = 0
  const taken = waiting.filter(({ report }) => {
    if (leases.has(report.leaseToken) || (leases.size > 0 && attempts + report.attempts.length > attemptsMax))
      return false
    leases.add(report.leaseToken)
    attempts += report.attempts.length
    return true
  })
  const gone = new Set(taken)
  waiting.splice(0, waiting.length, ...waiting.filter((one) => !gone.has(one)))
  return taken
}

/**
 * Stores attempts and what follows from them; false, having stored nothing, where the lease was lost. Reports that come while a statement is on its
 * way share the next one: the more there is to store, the less each costs. Where those that share one cannot be stored, each is stored by itself.
 */
export const makeReport = (sql: SqlClient) => {
  const waiting: Array<Waiting> = []
  let storing = false

  const store = (some: ReadonlyArray<Waiting>): Effect.Effect<void> =>
    storeAll(
      sql,
      some.map(({ report }) => report)
    ).pipe(attemptChange("report deliveries"), Effect.exit, (stored) =>
      Effect.flatMap(stored, (exit) => {
        if (Exit.isFailure(exit) && some.length > 1 && !Cause.hasInterrupts(exit.cause))
          return Effect.forEach(some, (one) => store([one]), { discard: true })
        for (const { answer, report } of some)
          Deferred.doneUnsafe(
            answer,
            Exit.map(exit, (held) => held.has(report))
          )
        return Effect.void
      })
    )

  const drain = Effect.gen(function* () {
    while (waiting.length > 0) {
      // what is reported at about the same moment goes along
      yield* Effect.sleep(gatherMs)
      yield* store(takeSome(waiting))
    }
    // at once, before the fiber can give way: who reports from now on begins anew
    storing = false
  }).pipe(
    Effect.onError((cause) =>
      Effect.sync(() => {
        storing = false
        for (const { answer } of waiting.splice(0)) Deferred.doneUnsafe(answer, Exit.failCause(cause))
      })
    )
  )

  return (report: AttemptsReport): Effect.Effect<boolean, StorageError> =>
    Effect.withFiber(({ context }) => {
      const one = { report, answer: Deferred.makeUnsafe<boolean, StorageError>() }
      waiting.push(one)
      if (!storing) {
        storing = true
        Effect.runForkWith(context)(drain)
      }
      return Deferred.await(one.answer)
    })
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
