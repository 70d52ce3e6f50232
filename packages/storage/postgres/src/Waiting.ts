import { waitingAdjustments } from "@bursar/core/adjustment/FloatAdjustment"
import { openProposals } from "@bursar/core/grant/Grant"
import { Waiting } from "@bursar/core/store/Waiting"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Layer } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { Connection } from "./Connection.ts"
import { attempt } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"
import { inSuspense } from "./queries/suspense.ts"

/** What waits for an operator. Each count goes along an index of its tenant, and ends where it has counted enough. */
export const layer = Layer.effect(
  Waiting,
  Effect.gen(function* () {
    const { sql } = yield* Connection
    return Waiting.of({
      all: (now, most) => {
        const counted = (from: Fragment) => sql`(select count(*) as n from (select 1 ${from} limit ${most}) one)`
        return sql<Row>`select t.tenant_id, t.slug, a.n as adjustments, r.n as resolutions, p.n as proposals,
            d.n as endpoints_off, f.n as endpoints_failing, s.n as suspense
          from tenant t
          cross join lateral ${counted(sql`from float_adjustment
            where tenant_id = t.tenant_id and record_group = ${waitingAdjustments}`)} a
          cross join lateral ${counted(sql`from resolution where tenant_id = t.tenant_id and state = 'PROPOSED'`)} r
          cross join lateral ${counted(sql`from grant_proposal
            where tenant_id = t.tenant_id and record_group = ${openProposals} and expires_at > ${new Date(now)}`)} p
          cross join lateral ${counted(sql`from webhook_endpoint where tenant_id = t.tenant_id and not enabled`)} d
          cross join lateral ${counted(sql`from webhook_endpoint e
            join webhook_state w on w.tenant_id = e.tenant_id and w.endpoint_id = e.endpoint_id
            where e.tenant_id = t.tenant_id and e.enabled and w.failing_since is not null
              and exists (select 1 from webhook_delivery y
                where y.tenant_id = e.tenant_id and y.endpoint_id = e.endpoint_id and y.attempt > 1)`)} f
          cross join lateral ${counted(sql`from balance b
            where b.tenant_id = t.tenant_id and ${inSuspense(sql, "b")} and b.units <> 0`)} s
          where a.n + r.n + p.n + d.n + f.n + s.n > 0
          order by t.slug collate "C"`.pipe(
          Effect.map((rows) =>
            rows.map((row) => ({
              tenantId: TenantId(Cell.text(row.tenant_id)),
              slug: Cell.text(row["slug"]),
              adjustments: Cell.int(row["adjustments"]),
              resolutions: Cell.int(row["resolutions"]),
              proposals: Cell.int(row["proposals"]),
              endpointsOff: Cell.int(row["endpoints_off"]),
              endpointsFailing: Cell.int(row["endpoints_failing"]),
              suspense: Cell.int(row["suspense"])
            }))
          ),
          attempt("count what waits for operators")
        )
      }
    })
  })
)
