import { apiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { ledgerAccountOf, FiatAccount } from "@bursar/core/account/FiatAccount"
import { Queries } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { orUnavailable } from "../../refusals.ts"
import { shownCurrencies } from "../../wire/shownCurrencies.ts"
import { entryToWire, toWire } from "./toWire.ts"

/** GET /v1/accounts/{account_id}. */
export const get = Effect.map(Queries, (queries) =>
  HttpApiBuilder.handler(PartnerApi, "accounts", "get", ({ params }) =>
    Effect.gen(function* () {
      const tenantId = TenantId((yield* Caller).tenantId)
      const account = yield* orUnavailable(queries.record(tenantId, FiatAccount, params.account_id))
      return account === undefined ? yield* apiError("not_found") : toWire(account)
    })
  )
)

/** GET /v1/accounts/{account_id}/entries: the lines of the account in the ledger, newest first. */
export const entries = Effect.gen(function* () {
  const queries = yield* Queries
  const { shownIn } = yield* shownCurrencies
  return HttpApiBuilder.handler(PartnerApi, "accounts", "entries", ({ params, query }) =>
    Effect.gen(function* () {
      const tenantId = TenantId((yield* Caller).tenantId)
      const found = yield* orUnavailable(queries.record(tenantId, FiatAccount, params.account_id))
      if (found === undefined) return yield* apiError("not_found")
      const limit = query.limit ?? listLimits.accountEntries.default
      const account = ledgerAccountOf(found.id)
      const lines = yield* orUnavailable(queries.accountLines(tenantId, { account, currency: found.currency, limit }))
      const shown = yield* orUnavailable(shownIn([found.currency]))
      return lines.map((line) => entryToWire(line, shown))
    })
  )
})
