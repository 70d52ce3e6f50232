import type { Event } from "@bursar/core/event/Event"
import type { WebhookEndpoint } from "@bursar/core/webhook/WebhookEndpoint"
import type { Tenant } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Row } from "../internal/cells.ts"
import * as Cell from "../internal/cells.ts"
import { arrayParameter, int8, parameter, timestamptz, uuid } from "../internal/columnTypes.ts"
import { selectList } from "../internal/Table.ts"
import { endpointTable } from "../table/endpointTable.ts"
import { eventTable } from "../table/eventTable.ts"

/** An endpoint that nobody else holds and that may have something to send. */
export interface Candidate {
  readonly tenant: Pick<Tenant, "id" | "kind">
  readonly endpoint: WebhookEndpoint
  /** The event up to which first attempts have been made. */
  readonly cursor: number
  /** Rises whenever the endpoint is served: as long as it is this, what was read of the endpoint still holds. */
  readonly turn: bigint
  /** The event up to which the feed is looked at now. */
  readonly lookUpTo: number
  /** Null where nothing that failed waits to be tried again. */
  readonly failingSince: number | null
}

/** How many events of the feed one look covers, so that an endpoint that wants few of many costs little. */
const lookMax = 10_000

// `skip locked`: whoever looks at the same time takes other endpoints. Two that find the same one nevertheless are told
// apart by its turn.
const candidatesStatement = `select ${selectList(endpointTable, "e")}, t.kind, s.cursor, s.turn,
    case when s.failing_since is not null and exists (select 1 from webhook_delivery d
      where d.tenant_id = s.tenant_id and d.endpoint_id = s.endpoint_id and d.attempt > 1) then s.failing_since end as failing_since,
    least(h.event_id, s.cursor + ${lookMax}) as look_up_to
  from webhook_state s
  join webhook_endpoint e on e.tenant_id = s.tenant_id and e.endpoint_id = s.endpoint_id
  join tenant_head h on h.tenant_id = s.tenant_id
  join tenant t on t.tenant_id = s.tenant_id
  where e.enabled and (s.lease_until is null or s.lease_until <= $1)
    and (s.cursor < h.event_id or exists (
      select 1 from webhook_delivery d where d.tenant_id = s.tenant_id and d.endpoint_id = s.endpoint_id and d.due_at <= $1))
  order by s.turn, s.tenant_id, s.endpoint_id
  limit $2 for update of s skip locked`

/** Locks some candidates until the transaction ends, those first that have waited longest. */
export const candidates = (
  sql: SqlClient,
  now: number,
  limit: number
): Effect.Effect<ReadonlyArray<Candidate>, SqlError> =>
  Effect.map(sql.unsafe<Row>(candidatesStatement, [parameter(timestamptz, now), limit]), (rows) =>
    rows.map((row) => {
      const endpoint = endpointTable.read(row)
      return {
        tenant: { id: endpoint.tenantId, kind: Cell.oneOf(["LIVE", "SANDBOX"], row.kind) },
        endpoint,
        cursor: Cell.int(row.cursor),
        turn: BigInt(Cell.int(row.turn)),
        lookUpTo: Cell.int(row.look_up_to),
        failingSince: Cell.atOrNull(row.failing_since)
      }
    })
  )

/** Whether the endpoint `e` wants the event `v`. */
export const isWanted = `(e.kinds is null or v.kind in (select json_array_elements_text(e.kinds)))`

const freshStatement = `select c.place, ${selectList(eventTable, "t")}
  from unnest($1::uuid[], $2::uuid[], $3::int8[], $4::int8[]) with ordinality as c(tenant_id, endpoint_id, after, up_to, place)
  join webhook_endpoint e on e.tenant_id = c.tenant_id and e.endpoint_id = c.endpoint_id
  cross join lateral (
    select * from event v where v.tenant_id = c.tenant_id and v.event_id > c.after and v.event_id <= c.up_to
      and ${isWanted}
    order by v.event_id limit $5) t
  order by c.place, t.event_id`

const dueStatement = `select c.place, d.attempt, ${selectList(eventTable, "t")}
  from unnest($1::uuid[], $2::uuid[]) with ordinality as c(tenant_id, endpoint_id, place)
  cross join lateral (
    select * from webhook_delivery w where w.tenant_id = c.tenant_id and w.endpoint_id = c.endpoint_id and w.due_at <= $3
    order by w.due_at, w.event_id limit $4) d
  join event t on t.tenant_id = d.tenant_id and t.event_id = d.event_id
  order by c.place, d.due_at, d.event_id`

const byPlace = <A>(rows: ReadonlyArray<Row>, read: (row: Row) => A): ReadonlyMap<number, ReadonlyArray<A>> => {
  const found = new Map<number, Array<A>>()
  for (const row of rows) {
    const place = Cell.int(row.place)
    const here = found.get(place) ?? []
    here.push(read(row))
    found.set(place, here)
  }
  return found
}

/** What a candidate is to be sent. */
export interface Found {
  readonly candidate: Candidate
  readonly fresh: ReadonlyArray<Event>
  readonly freshUpTo: number
  readonly due: ReadonlyArray<{ readonly event: Event; readonly attempt: number }>
}

/** Reads what each candidate is to be sent, at most `eventsMax` of either sort, in two statements for all of them. */
export const workOf = Effect.fnUntraced(function* (
  sql: SqlClient,
  all: ReadonlyArray<Candidate>,
  now: number,
  eventsMax: number
): Effect.fn.Return<ReadonlyArray<Found>, SqlError> {
  const keys = [
    arrayParameter(
      uuid,
      all.map(({ tenant }) => tenant.id)
    ),
    arrayParameter(
      uuid,
      all.map(({ endpoint }) => endpoint.id)
    )
  ]
  const fresh = yield* sql.unsafe<Row>(freshStatement, [
    ...keys,
    arrayParameter(
      int8,
      all.map(({ cursor }) => BigInt(cursor))
    ),
    arrayParameter(
      int8,
      all.map(({ lookUpTo }) => BigInt(lookUpTo))
    ),
    eventsMax + 1
  ])
  const due = yield* sql.unsafe<Row>(dueStatement, [...keys, parameter(timestamptz, now), eventsMax])
  const freshOf = byPlace(fresh, eventTable.read)
  const dueOf = byPlace(due, (row) => ({ event: eventTable.read(row), attempt: Cell.int(row.attempt) }))
  return all.map((candidate, index) => {
    const wanted = freshOf.get(index + 1) ?? []
    const shown = wanted.slice(0, eventsMax)
    return {
      candidate,
      fresh: shown,
      freshUpTo: wanted.length > shown.length ? (shown.at(-1)?.id ?? candidate.cursor) : candidate.lookUpTo,
      due: dueOf.get(index + 1) ?? []
    }
  })
})
