import { OperatorApi } from "@bursar/api/OperatorApi"
import { type Found, foundMax } from "@bursar/api/operator/SearchGroup"
import { toIso } from "@bursar/core/base/Timestamp"
import { Networks } from "@bursar/core/port/Networks"
import { Tenants } from "@bursar/core/port/Tenants"
import { Queries } from "@bursar/core/store/Queries"
import { isReadable } from "@bursar/core/store/UnreadableOperation"
import type { SearchHit } from "@bursar/core/store/SearchHit"
import type { Tenant } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable } from "../../../refusals.ts"
import { toldMoneyOrNull } from "../../../wire/money.ts"
import { amountsIn } from "./amountsIn.ts"
import { spellings } from "./spellings.ts"

const nothing = { operation_id: null, address_id: null, status: null, amount: null }

const tenantToWire = ({ createdAt, id, slug }: Tenant): Found => ({
  ...nothing,
  what: "tenant",
  kind: "TENANT",
  tenant_id: id,
  tenant: slug,
  created_at: toIso(createdAt)
})

/** Anything by its id, hash, address or reference. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "search",
  Effect.fnUntraced(function* (handlers) {
    const queries = yield* Queries
    const tenants = yield* Tenants
    const networks = yield* Networks
    const { currencies } = yield* ServerConfig

    const hitToWire =
      (slugOf: (id: string) => string) =>
      (hit: SearchHit): Found => {
        if (hit.by === "address") {
          const { createdAt, id, tenantId } = hit.address
          const about = { tenant_id: tenantId, tenant: slugOf(tenantId), created_at: toIso(createdAt) }
          return { ...nothing, ...about, what: "address", kind: "ADDRESS", address_id: id }
        }
        const { operation } = hit
        const { createdAt, id, kind, tenantId } = operation
        const known = isReadable(operation) ? operation : undefined
        return {
          what: hit.by,
          kind,
          tenant_id: tenantId,
          tenant: slugOf(tenantId),
          operation_id: id,
          address_id: null,
          status: known?.status ?? null,
          amount: toldMoneyOrNull(currencies, known?.amount ?? null),
          created_at: toIso(createdAt)
        }
      }

    return handlers.handleAll({
      find: Effect.fnUntraced(function* ({ query }) {
        const text = query.text.trim()
        const { tenants: all } = yield* orUnavailable(tenants.list)
        const slugs = new Map(all.map(({ id, slug }) => [id as string, slug]))
        const hits = yield* orUnavailable(
          queries.search(spellings(text, networks), foundMax, amountsIn(text, currencies))
        )
        return {
          found: [
            ...all.filter(({ id, slug }) => id === text || slug === text).map(tenantToWire),
            ...hits.map(hitToWire((id) => slugs.get(id) ?? ""))
          ]
        }
      })
    })
  })
)
