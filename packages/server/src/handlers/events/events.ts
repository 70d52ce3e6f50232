import { apiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import type { Event } from "@bursar/api/wire/Event"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { toIso } from "@bursar/core/base/Timestamp"
import type { Event as Row } from "@bursar/core/event/Event"
import { namedIn } from "@bursar/core/granting/namedIn"
import { Queries } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { orUnavailable } from "../../refusals.ts"
import { showing } from "../addresses/showing.ts"

/** An event as it is told. */
export const eventToWire = ({ data, id, kind, occurredAt, resourceId }: Row): Event => ({
  id,
  kind,
  resource_id: resourceId,
  occurred_at: toIso(occurredAt),
  data
})

/** GET /v1/events: the feed after `after`, in id order. */
export const list = Effect.gen(function* () {
  const queries = yield* Queries
  const show = yield* showing
  return HttpApiBuilder.handler(PartnerApi, "events", "list", ({ query }) =>
    Effect.gen(function* () {
      const { tenantId } = yield* Caller
      const limit = query.limit ?? listLimits.events.default
      const after = query.after ?? 0
      const rows = yield* orUnavailable(queries.events(TenantId(tenantId), after, limit))
      // ids have no gaps: where there is no such event there never was, and whoever waits for the next would miss some
      if (rows.length === 0 && after > 0) {
        const [known] = yield* orUnavailable(queries.events(TenantId(tenantId), after - 1, 1))
        if (known === undefined) return yield* apiError("invalid_cursor")
      }
      yield* show.named(tenantId, rows.flatMap(namedIn))
      return { events: rows.map(eventToWire), next_after: rows.at(-1)?.id ?? null }
    })
  )
})

/** The ordered feed of outcomes. */
export const layer = HttpApiBuilder.group(PartnerApi, "events", (handlers) =>
  Effect.map(list, (handler) => handlers.handleAll({ list: handler }))
)
