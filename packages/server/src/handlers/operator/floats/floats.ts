import { apiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { Operator } from "@bursar/api/operator/Operator"
import { Writer } from "@bursar/core/engine/Writer"
import { approveAdjustment, rejectAdjustment } from "@bursar/core/adjustment/requestAdjustment"
import { Queries } from "@bursar/core/store/Queries"
import { Tenants } from "@bursar/core/port/Tenants"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable, submit } from "../../../refusals.ts"
import { floatBalances } from "../../../wire/floatBalances.ts"
import { findTenant } from "../found.ts"
import { aloneHere } from "../grants/alone.ts"
import { adjust } from "./adjust.ts"
import { adjustmentValues } from "./adjustmentValues.ts"
import { availableOf } from "./availableOf.ts"
import { adjustmentToWire } from "./toWire.ts"
import { FloatAdjustment } from "@bursar/core/adjustment/FloatAdjustment"

const options = { uninterruptible: true }

/** The floats of tenants, and corrections of them. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "floats",
  Effect.fnUntraced(function* (handlers) {
    const writer = yield* Writer
    const queries = yield* Queries
    const tenants = yield* Tenants
    const { currencies } = yield* ServerConfig
    const alone = yield* aloneHere
    return handlers.handleAll({
      show: Effect.fnUntraced(function* ({ params }) {
        const { id } = yield* findTenant(tenants, params.tenant_id)
        return { currencies: floatBalances(yield* orUnavailable(queries.float(id)), currencies) }
      }),
      adjust: { handler: yield* adjust, options },
      adjustments: Effect.fnUntraced(function* ({ params }) {
        const { id } = yield* findTenant(tenants, params.tenant_id)
        const all = yield* orUnavailable(queries.records(id, FloatAdjustment))
        return { adjustments: all.map((one) => adjustmentToWire(one, currencies)) }
      }),
      approve: {
        options,
        handler: Effect.fnUntraced(function* ({ params }) {
          const { name } = yield* Operator
          const tenantId = TenantId(params.tenant_id)
          const adjustment = yield* orUnavailable(queries.record(tenantId, FloatAdjustment, params.adjustment_id))
          if (adjustment === undefined) return yield* apiError("not_found")
          yield* alone.refuse({ kind: "adjustment", values: adjustmentValues(adjustment) }, tenantId)
          const operation = yield* submit(writer, tenantId, approveAdjustment({ adjustment, by: name, currencies }))
          return {
            state: "booked" as const,
            operation_id: operation.id,
            adjustment_id: adjustment.id,
            available: yield* availableOf({ queries, currencies }, tenantId, adjustment.amount.currency)
          }
        })
      },
      reject: {
        options,
        handler: Effect.fnUntraced(function* ({ params, payload }) {
          const { name } = yield* Operator
          const tenantId = TenantId(params.tenant_id)
          const adjustment = yield* orUnavailable(queries.record(tenantId, FloatAdjustment, params.adjustment_id))
          if (adjustment === undefined) return yield* apiError("not_found")
          const command = rejectAdjustment(adjustment, name, payload.reason)
          return adjustmentToWire(yield* submit(writer, tenantId, command), currencies)
        })
      }
    })
  })
)
