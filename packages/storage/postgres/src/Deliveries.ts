import { isUuid } from "@bursar/core/base/uuid"
import type { Timestamp } from "@bursar/core/base/Timestamp"
import { Deliveries } from "@bursar/core/port/Deliveries"
import { Effect, Layer } from "effect"
import type { Statement } from "effect/sql"
import { Connection } from "./Connection.ts"
import { lease } from "./deliveries/lease.ts"
import { isWanted } from "./deliveries/work.ts"
import { attempts, attemptsOf, makeReport } from "./deliveries/report.ts"
import { attempt, attemptChange } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"

/** The state of webhook delivery, shared by all workers. */
export const layer = Layer.effect(
  Deliveries,
  Effect.gen(function* () {
    const { sql } = yield* Connection

    /** Queues the events of an endpoint's tenant again that are named; says how many there were. */
    const queueAgain = (tenantId: string, endpointId: string, named: Statement.Fragment, now: Timestamp) =>
      !isUuid(tenantId) || !isUuid(endpointId)
        ? Effect.succeed(0)
        : sql<Row>`with queued as (
            insert into webhook_delivery (tenant_id, endpoint_id, event_id, due_at, attempt)
              select e.tenant_id, e.endpoint_id, v.event_id, ${new Date(now)}, 1
              from webhook_endpoint e join event v on v.tenant_id = e.tenant_id
              where e.tenant_id = ${tenantId} and e.endpoint_id = ${endpointId} and ${named}
              on conflict (tenant_id, endpoint_id, event_id) do update set due_at = excluded.due_at, attempt = excluded.attempt
              returning 1
          ) select count(*) as count from queued`.pipe(
            Effect.map(([row]) => Cell.int(row?.count)),
            attemptChange("queue deliveries again")
          )

    return Deliveries.of({
      lease: (now, leaseUntil, endpointsMax, eventsMax) =>
        sql
          .withTransaction(lease(sql, { now, leaseUntil, endpointsMax, eventsMax }))
          .pipe(attemptChange("lease endpoints")),
      report: makeReport(sql),
      release: ({ endpoint, leaseToken, tenant }, freshUpTo) =>
        sql`update webhook_state set cursor = greatest(cursor, ${freshUpTo}::int8), lease_token = null, lease_until = null
          where tenant_id = ${tenant.id} and endpoint_id = ${endpoint.id} and lease_token = ${leaseToken}`.pipe(
          Effect.asVoid,
          attemptChange("release an endpoint")
        ),
      replay: (tenantId, endpointId, fromEventId, toEventId, now) =>
        queueAgain(
          tenantId,
          endpointId,
          sql`v.event_id between ${fromEventId} and ${toEventId} and ${sql.literal(isWanted)}`,
          now
        ),
      resend: (tenantId, endpointId, eventId, now) =>
        Effect.map(queueAgain(tenantId, endpointId, sql`v.event_id = ${eventId}`, now), (queued) => queued > 0),
      forget: (before, attemptsMax) =>
        sql<Row>`with gone as (
            delete from webhook_attempt where ctid = any(array(
              select ctid from webhook_attempt where at < ${new Date(before)} limit ${attemptsMax} for update skip locked))
            returning 1
          ) select count(*) as count from gone`.pipe(
          Effect.map(([row]) => Cell.int(row?.count)),
          attemptChange("forget attempts")
        ),
      attempts: (tenantId, endpointId, limit) =>
        !isUuid(tenantId) || !isUuid(endpointId)
          ? Effect.succeed([])
          : attempts(sql, tenantId, endpointId, limit).pipe(attempt("read the attempts of an endpoint")),
      waiting: (tenantId, endpointId, most) =>
        !isUuid(tenantId) || !isUuid(endpointId)
          ? Effect.succeed(0)
          : sql<Row>`select count(*) as count from (select from webhook_delivery
              where tenant_id = ${tenantId} and endpoint_id = ${endpointId} limit ${most}) w`.pipe(
              Effect.map(([row]) => Cell.int(row?.count)),
              attempt("count the deliveries that wait")
            ),
      attemptsOf: (tenantId, eventIds, limit) =>
        isUuid(tenantId) && eventIds.length > 0
          ? attemptsOf(sql, tenantId, eventIds, limit).pipe(attempt("read the attempts of events"))
          : Effect.succeed([])
    })
  })
)
