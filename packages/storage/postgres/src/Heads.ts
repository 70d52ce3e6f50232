import { fleetTenantId } from "@bursar/core/grant/Grant"
import { Heads } from "@bursar/core/store/Heads"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Layer } from "effect"
import { Connection } from "./Connection.ts"
import { attempt } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"

/** How far all tenants have come. */
export const layer = Layer.effect(
  Heads,
  Effect.gen(function* () {
    const { sql } = yield* Connection
    const counts = sql<Row>`select
      concat_ws('.', coalesce(sum(h.event_id) filter (where not f.own), 0), coalesce(sum(h.posting_seq) filter (where not f.own), 0),
        coalesce(sum(extract(epoch from h.last_at) * 1000) filter (where not f.own), 0)::numeric(40, 0)) as commits,
      coalesce(sum(h.change_seq) filter (where not f.own), 0)::text as deposits,
      coalesce(sum(extract(epoch from h.last_at) * 1000) filter (where f.own), 0)::numeric(40, 0)::text as service,
      max(h.last_at) filter (where not f.own and h.event_id + h.posting_seq + h.change_seq > 0) as newest,
      (select coalesce(max(id), 0)::text from operator_audit) as actions
      from tenant_head h cross join lateral (select h.tenant_id = ${fleetTenantId} as own) f`
    return Heads.of({
      read: (movedSince, limit) =>
        Effect.gen(function* () {
          const [row] = yield* counts
          const moved = yield* sql<Row>`select tenant_id, event_id from tenant_head
            where last_at >= ${new Date(movedSince)} and tenant_id <> ${fleetTenantId}
            order by last_at desc limit ${limit}`
          return {
            commits: Cell.text(row?.["commits"]),
            deposits: Cell.text(row?.["deposits"]),
            service: Cell.text(row?.["service"]),
            actions: Cell.text(row?.["actions"]),
            newest: Cell.atOrNull(row?.["newest"]) ?? 0,
            moved: moved.map((one) => ({
              tenantId: TenantId(Cell.text(one.tenant_id)),
              eventId: Cell.int(one["event_id"])
            }))
          }
        }).pipe(attempt("read how far all have come"))
    })
  })
)
