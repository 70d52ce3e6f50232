import { Deliveries, type EndpointWork } from "@bursar/core/port/Deliveries"
import { Effect, Layer } from "effect"
import { Connection } from "./Connection.ts"
import { candidates, type Found, workOf } from "./deliveries/work.ts"
import { attempts, report } from "./deliveries/report.ts"
import { attempt } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"
import { arrayParameter, int8, parameter, timestamptz, uuid } from "./internal/columnTypes.ts"
import { isId } from "./internal/ids.ts"

/** How many times endpoints that turn out to want nothing of what is new are passed over within one lease. */
const looksMax = 20

const hasWork = ({ due, fresh }: Found): boolean => fresh.length > 0 || due.length > 0

/** The state of webhook delivery, shared by all workers. */
export const layer = Layer.effect(
  Deliveries,
  Effect.gen(function*() {
    const { sql } = yield* Connection

    const takeStatement = `update webhook_state s set lease_token = l.token, lease_until = $4
      from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as l(tenant_id, endpoint_id, token)
      where s.tenant_id = l.tenant_id and s.endpoint_id = l.endpoint_id`
    const passOverStatement = `update webhook_state s set cursor = greatest(s.cursor, p.cursor)
      from unnest($1::uuid[], $2::uuid[], $3::int8[]) as p(tenant_id, endpoint_id, cursor)
      where s.tenant_id = p.tenant_id and s.endpoint_id = p.endpoint_id`
    const keysOf = (all: ReadonlyArray<Found>) => [
      arrayParameter(uuid, all.map(({ candidate }) => candidate.tenant.id)),
      arrayParameter(uuid, all.map(({ candidate }) => candidate.endpoint.id))
    ]

    const lease = Effect.fnUntraced(function*(now: number, leaseUntil: number, endpointsMax: number, eventsMax: number) {
      let leased: ReadonlyArray<EndpointWork> = []
      for (let looks = 0; looks < looksMax && leased.length < endpointsMax; looks++) {
        const all = yield* candidates(sql, now, endpointsMax - leased.length)
        if (all.length === 0) break
        const found = yield* workOf(sql, all, now, eventsMax)
        const passed = found.filter(({ fresh }) => fresh.length === 0)
        if (passed.length > 0) {
          const cursors = arrayParameter(int8, passed.map(({ freshUpTo }) => BigInt(freshUpTo)))
          yield* sql.unsafe(passOverStatement, [...keysOf(passed), cursors])
        }
        const taken = found.filter(hasWork)
        const tokens = taken.map(() => crypto.randomUUID())
        if (taken.length > 0) {
          yield* sql.unsafe(takeStatement, [...keysOf(taken), arrayParameter(uuid, tokens), parameter(timestamptz, leaseUntil)])
        }
        leased = [
          ...leased,
          ...taken.map(({ candidate: { endpoint, failingSince, tenant }, due, fresh, freshUpTo }, index) =>
            ({ tenant, endpoint, leaseToken: tokens[index] ?? "", fresh, freshUpTo, due, failingSince }))
        ]
      }
      return leased
    })

    return Deliveries.of({
      lease: (now, leaseUntil, endpointsMax, eventsMax) =>
        sql.withTransaction(lease(now, leaseUntil, endpointsMax, eventsMax)).pipe(attempt("lease endpoints")),
      report: (one) => report(sql, one).pipe(attempt("report a delivery")),
      release: ({ endpoint, leaseToken, tenant }, freshUpTo) =>
        sql`update webhook_state set cursor = greatest(cursor, ${freshUpTo}::int8), lease_token = null, lease_until = null
          where tenant_id = ${tenant.id} and endpoint_id = ${endpoint.id} and lease_token = ${leaseToken}`.pipe(
            Effect.asVoid,
            attempt("release an endpoint")
          ),
      replay: (tenantId, endpointId, fromEventId, toEventId, now) =>
        !isId(tenantId) || !isId(endpointId)
          ? Effect.succeed(0)
          : sql<Row>`with queued as (
            insert into webhook_delivery (tenant_id, endpoint_id, event_id, due_at, attempt)
              select e.tenant_id, e.endpoint_id, v.event_id, ${new Date(now)}, 1
              from webhook_endpoint e join event v on v.tenant_id = e.tenant_id
              where e.tenant_id = ${tenantId} and e.endpoint_id = ${endpointId}
                and v.event_id between ${fromEventId} and ${toEventId}
              on conflict (tenant_id, endpoint_id, event_id) do update set due_at = excluded.due_at, attempt = excluded.attempt
              returning 1
          ) select count(*) as count from queued`.pipe(
            Effect.map(([row]) => Cell.int(row?.count)),
            attempt("queue deliveries again")
          ),
      attempts: (tenantId, endpointId, limit) =>
        !isId(tenantId) || !isId(endpointId)
          ? Effect.succeed([])
          : attempts(sql, tenantId, endpointId, limit).pipe(attempt("read the attempts of an endpoint"))
    })
  })
)
