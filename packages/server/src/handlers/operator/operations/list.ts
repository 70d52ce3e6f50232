import { apiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { Queries } from "@bursar/core/store/Queries"
import { isReadable } from "@bursar/core/store/UnreadableOperation"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Tenants } from "@bursar/core/port/Tenants"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { showApart } from "../../../operationsApart.ts"
import { orUnavailable } from "../../../refusals.ts"
import { shownCurrencies } from "../../../wire/shownCurrencies.ts"
import { readCursor, writeCursor } from "../../register/Cursor.ts"
import { readFilters } from "./filters.ts"
import { unreadableToWire } from "../unreadableToWire.ts"
import { operationToWire } from "./toWire.ts"
import { payoutOf } from "./payoutOf.ts"

/** Cursors of this list are good for no tenant's register, and theirs not for it. */
const boundTo = "operators"

/** GET /operator/v1/operations: of one tenant or of all. */
export const list = Effect.gen(function* () {
  const queries = yield* Queries
  const tenants = yield* Tenants
  const { currencies, cursorSecret: secret } = yield* ServerConfig
  const { asKnown } = yield* shownCurrencies
  return HttpApiBuilder.handler(OperatorApi, "operations", "list", ({ query }) =>
    Effect.gen(function* () {
      // of moments, which may be told anew by the clock for each page, a place in the list is none the less the same place
      const { created_after: _after, created_before: _before, cursor, limit: _limit, unresolved, ...texts } = query
      const limit = query.limit ?? listLimits.operatorLists.default
      const wanted = yield* readFilters(query, currencies)
      const filters = { ...texts, order: wanted.order, unresolved: unresolved?.toString() }
      const binding = { secret, tenantId: boundTo, filters }
      const after = cursor === undefined ? undefined : readCursor(binding, cursor)
      if (cursor !== undefined && after === undefined) return yield* apiError("invalid_cursor")
      const found = yield* orUnavailable(queries.listedOperations({ ...wanted, after, limit: limit + 1 }))
      const page = found.slice(0, limit)
      const last = page.at(-1)
      const all = new Map((yield* orUnavailable(tenants.list)).tenants.map((tenant) => [tenant.id, tenant]))
      const slugOf = (tenantId: TenantId) => all.get(tenantId)?.slug ?? ""
      const known = yield* asKnown(page.filter(isReadable))
      const { shown, unreadable } = yield* showApart(
        page,
        Effect.fnUntraced(function* (operation) {
          const payout = yield* payoutOf(queries, operation)
          return operationToWire(operation, payout, { slug: slugOf(operation.tenantId) }, known)
        })
      )
      return {
        operations: shown,
        unreadable: unreadable.map((one) => unreadableToWire(one, slugOf(one.tenantId))),
        next_cursor: found.length > limit && last !== undefined ? writeCursor(binding, last) : null
      }
    })
  )
})
