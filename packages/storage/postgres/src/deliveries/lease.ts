import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { EndpointWork } from "@bursar/core/port/Deliveries"
import { Cause, Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Row } from "../internal/cells.ts"
import * as Cell from "../internal/cells.ts"
import { arrayParameter, int8, parameter, timestamptz, uuid } from "../internal/columnTypes.ts"
import { type Candidate, candidates, type Found, workOf } from "./work.ts"

/** What is to be leased: how much, and until when. */
export interface LeaseRequest {
  readonly now: Timestamp
  readonly leaseUntil: Timestamp
  readonly endpointsMax: number
  readonly eventsMax: number
}

/** How many times endpoints that turn out to want nothing of what is new are passed over within one lease. */
const looksMax = 20

const takeStatement = `update webhook_state s set lease_token = l.token, lease_until = $5, turn = nextval('webhook_turn')
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int8[]) as l(tenant_id, endpoint_id, token, turn)
  where s.tenant_id = l.tenant_id and s.endpoint_id = l.endpoint_id and s.turn = l.turn
  returning s.lease_token`

const passOverStatement = `update webhook_state s set cursor = greatest(s.cursor, p.cursor), turn = nextval('webhook_turn')
  from unnest($1::uuid[], $2::uuid[], $3::int8[]) as p(tenant_id, endpoint_id, cursor)
  where s.tenant_id = p.tenant_id and s.endpoint_id = p.endpoint_id`

const keysOf = (all: ReadonlyArray<Pick<Candidate, "endpoint" | "tenant">>) => [
  arrayParameter(
    uuid,
    all.map(({ tenant }) => tenant.id)
  ),
  arrayParameter(
    uuid,
    all.map(({ endpoint }) => endpoint.id)
  )
]

const candidatesOf = (found: ReadonlyArray<Found>) => found.map(({ candidate }) => candidate)

/** Marks endpoints as held until a moment, as far as they are as they were read; gives the tokens under which they are. */
const hold = (
  sql: SqlClient,
  held: ReadonlyArray<{ readonly candidate: Candidate; readonly leaseToken: string }>,
  leaseUntil: Timestamp
): Effect.Effect<ReadonlyArray<Row>, SqlError> => {
  const all = held.map(({ candidate }) => candidate)
  const tokens = arrayParameter(
    uuid,
    held.map(({ leaseToken }) => leaseToken)
  )
  const turns = arrayParameter(
    int8,
    all.map(({ turn }) => turn)
  )
  return sql.unsafe<Row>(takeStatement, [...keysOf(all), tokens, turns, parameter(timestamptz, leaseUntil)])
}

/**
 * What candidates are to be sent. Where an event cannot be read, such as one of a kind that only a later release knows, its endpoint is told of
 * and held by nobody for as long as a lease lasts: it keeps no other back.
 */
const readableWork = (
  sql: SqlClient,
  all: ReadonlyArray<Candidate>,
  request: LeaseRequest
): Effect.Effect<ReadonlyArray<Found>, SqlError> =>
  Effect.catchDefect(workOf(sql, all, request.now, request.eventsMax), (defect) => {
    const [candidate, ...others] = all
    if (candidate === undefined) return Effect.succeed([])
    if (others.length > 0)
      return Effect.map(
        Effect.forEach(all, (one) => readableWork(sql, [one], request)),
        (found) => found.flat()
      )
    const about = { tenant: candidate.tenant.id, endpoint: candidate.endpoint.id }
    return Effect.annotateLogs(Effect.logError("webhook.unreadable", Cause.die(defect)), about).pipe(
      Effect.andThen(hold(sql, [{ candidate, leaseToken: crypto.randomUUID() }], request.leaseUntil)),
      Effect.as([])
    )
  })

/** Stores how far the feed has been looked at for endpoints that want nothing of it. */
const passOver = (sql: SqlClient, found: ReadonlyArray<Found>): Effect.Effect<unknown, SqlError> => {
  const passed = found.filter(({ due, fresh }) => fresh.length === 0 && due.length === 0)
  if (passed.length === 0) return Effect.void
  const cursors = arrayParameter(
    int8,
    passed.map(({ freshUpTo }) => BigInt(freshUpTo))
  )
  return sql.unsafe(passOverStatement, [...keysOf(candidatesOf(passed)), cursors])
}

/** Gives this worker each endpoint that has something to send and has not been given to another since it was looked at. */
const take = Effect.fnUntraced(function* (
  sql: SqlClient,
  found: ReadonlyArray<Found>,
  leaseUntil: Timestamp
): Effect.fn.Return<ReadonlyArray<EndpointWork>, SqlError> {
  const taken = found
    .filter(({ due, fresh }) => fresh.length > 0 || due.length > 0)
    .map((one) => ({ ...one, leaseToken: crypto.randomUUID() }))
  if (taken.length === 0) return []
  const held = yield* hold(sql, taken, leaseUntil)
  const own = new Set(held.map((row) => Cell.text(row.lease_token)))
  return taken
    .filter(({ leaseToken }) => own.has(leaseToken))
    .map(({ candidate: { endpoint, failingSince, tenant }, due, fresh, freshUpTo, leaseToken }) => ({
      tenant,
      endpoint,
      leaseToken,
      fresh,
      freshUpTo,
      due,
      failingSince
    }))
})

/** Leases endpoints that have something to send. To be run in a transaction, which keeps others from the same ones. */
export const lease = Effect.fnUntraced(function* (
  sql: SqlClient,
  request: LeaseRequest
): Effect.fn.Return<ReadonlyArray<EndpointWork>, SqlError> {
  const { endpointsMax, leaseUntil, now } = request
  const leased: Array<EndpointWork> = []
  for (let looks = 0; looks < looksMax && leased.length < endpointsMax; looks++) {
    const all = yield* candidates(sql, now, endpointsMax - leased.length)
    if (all.length === 0) break
    const found = yield* readableWork(sql, all, request)
    yield* passOver(sql, found)
    leased.push(...(yield* take(sql, found, leaseUntil)))
  }
  return leased
})
