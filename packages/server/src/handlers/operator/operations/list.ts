import { apiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { type OperationKind, operationKinds } from "@bursar/core/operation/Operation"
import { Queries } from "@bursar/core/store/Queries"
import { Tenants } from "@bursar/core/port/Tenants"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable, refusalError } from "../../../refusals.ts"
import { momentOrUndefined } from "../../../wire/moment.ts"
import { unknownNetwork } from "../../network.ts"
import { readCursor, writeCursor } from "../../register/Cursor.ts"
import { statusFilter } from "../../statusFilter.ts"
import { operationToWire } from "./toWire.ts"
import { Payout } from "@bursar/core/payout/Payout"

const isKind = (text: string): text is OperationKind => operationKinds.some((kind) => kind === text)

/** Cursors of this list are good for no tenant's register, and theirs not for it. */
const boundTo = "operators"

/** GET /operator/v1/operations: of one tenant or of all. */
export const list = Effect.gen(function* () {
  const queries = yield* Queries
  const tenants = yield* Tenants
  const { currencies, cursorSecret: secret } = yield* ServerConfig
  return HttpApiBuilder.handler(OperatorApi, "operations", "list", ({ query }) =>
    Effect.gen(function* () {
      const { created_after, created_before, cursor, kind, network, order = "newest", unresolved } = query
      const limit = query.limit ?? listLimits.operatorLists.default
      if (kind !== undefined && !isKind(kind)) return yield* apiError("unknown_kind")
      if (network !== undefined && !currencies.networks.has(network))
        return yield* refusalError(unknownNetwork(network))
      const status = yield* statusFilter(query.status)
      const { cursor: _, limit: __, unresolved: ___, ...texts } = query
      const filters = { ...texts, order, unresolved: unresolved?.toString() }
      const binding = { secret, tenantId: boundTo, filters }
      const after = cursor === undefined ? undefined : readCursor(binding, cursor)
      if (cursor !== undefined && after === undefined) return yield* apiError("invalid_cursor")
      const found = yield* orUnavailable(
        queries.operations({
          tenantId: query.tenant_id === undefined ? undefined : TenantId(query.tenant_id),
          kinds: kind === undefined ? undefined : [kind],
          status,
          unresolved,
          contradicted: query.contradicted === undefined ? undefined : true,
          waitingReason: query.waiting_reason,
          provider: query.provider,
          network,
          since: momentOrUndefined(created_after),
          until: momentOrUndefined(created_before),
          order,
          after,
          limit: limit + 1
        })
      )
      const page = found.slice(0, limit)
      const last = page.at(-1)
      const all = new Map((yield* orUnavailable(tenants.list)).map((tenant) => [tenant.id, tenant]))
      const operations = yield* Effect.forEach(
        page,
        Effect.fnUntraced(function* (operation) {
          const { id, tenantId } = operation
          const payout =
            operation.kind === "CHAIN_PAYOUT" ? yield* orUnavailable(queries.record(tenantId, Payout, id)) : undefined
          return operationToWire(operation, payout, all.get(tenantId) ?? { slug: "" }, currencies)
        }),
        { concurrency: 8 }
      )
      return {
        operations,
        next_cursor: found.length > limit && last !== undefined ? writeCursor(binding, last) : null
      }
    })
  )
})
