import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import type { Event } from "@bursar/core/event/Event"
import type { PostedLeg } from "@bursar/core/ledger/Leg"
import type { Operation } from "@bursar/core/operation/Operation"
import type { Queries } from "@bursar/core/store/Queries"
import type { Tenants } from "@bursar/core/port/Tenants"
import { Resolution } from "@bursar/core/resolution/Resolution"
import { type Tenant, TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { orUnavailable } from "../../../refusals.ts"
import { findTenant } from "../found.ts"
import type { WholePayout } from "../payouts/toWire.ts"
import { wholePayout } from "../payouts/wholePayout.ts"

/** All that is stored of an operation. */
export interface WholeOperation extends WholePayout {
  readonly tenant: Tenant
  readonly legs: ReadonlyArray<PostedLeg>
  readonly events: ReadonlyArray<Event>
  /** Oldest first. */
  readonly resolutions: ReadonlyArray<Resolution>
}

/** The path of one operation. */
export interface OperationParams {
  readonly tenant_id: string
  readonly operation_id: string
}

/** The operation of an id, or `not_found`. */
export const findOperation = (
  queries: Queries["Service"],
  { operation_id, tenant_id }: OperationParams
): Effect.Effect<Operation, ApiError> =>
  Effect.flatMap(orUnavailable(queries.operation(TenantId(tenant_id), operation_id)), (operation) =>
    operation === undefined ? Effect.fail(apiError("not_found")) : Effect.succeed(operation)
  )

/** All that is stored of the operation of an id, or `not_found`. */
export const wholeOperation = Effect.fnUntraced(function* (
  queries: Queries["Service"],
  tenants: Tenants["Service"],
  params: OperationParams
): Effect.fn.Return<WholeOperation, ApiError> {
  const tenant = yield* findTenant(tenants, params.tenant_id)
  const operation = yield* findOperation(queries, params)
  const { id } = operation
  const resolutions = yield* orUnavailable(queries.records(tenant.id, Resolution, id))
  return {
    ...(yield* wholePayout(queries, operation)),
    tenant,
    legs: yield* orUnavailable(queries.legs(tenant.id, id)),
    events: yield* orUnavailable(queries.eventsOf(tenant.id, id)),
    // their ids tell their age
    resolutions
  }
})
