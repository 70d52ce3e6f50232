import { apiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { Queries } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { orUnavailable } from "../../refusals.ts"
import { shownCurrencies } from "../../wire/shownCurrencies.ts"
import { showing } from "../addresses/showing.ts"
import { toWire } from "./toWire.ts"

/** GET /v1/deposits: the deposits that changed after `after`, in `change_seq` order. */
export const list = Effect.gen(function* () {
  const queries = yield* Queries
  const { shownIn } = yield* shownCurrencies
  const show = yield* showing
  return HttpApiBuilder.handler(PartnerApi, "deposits", "list", ({ query }) =>
    Effect.gen(function* () {
      const { tenantId } = yield* Caller
      const after = query.after ?? 0
      const limit = query.limit ?? listLimits.deposits.default
      const found = yield* orUnavailable(
        queries.deposits(TenantId(tenantId), { after, reference: query.reference, limit })
      )
      // the deposit that changed last has the highest number that was given
      if (found.length === 0 && after > 0) {
        const [known] = yield* orUnavailable(queries.deposits(TenantId(tenantId), { after: after - 1, limit: 1 }))
        if (known === undefined) return yield* apiError("invalid_cursor")
      }
      yield* show.named(tenantId, found)
      const shown = yield* orUnavailable(shownIn(found.map(({ currency }) => currency)))
      const waiting = found.some(({ status }) => status === "DETECTED")
      const heights = waiting ? yield* orUnavailable(queries.heights) : new Map()
      return {
        deposits: found.map((deposit) => toWire(deposit, shown, heights)),
        next_after: found.at(-1)?.changeSeq ?? after
      }
    })
  )
})

/** The arrivals on watched addresses. */
export const layer = HttpApiBuilder.group(PartnerApi, "deposits", (handlers) =>
  Effect.map(list, (handler) => handlers.handleAll({ list: handler }))
)
