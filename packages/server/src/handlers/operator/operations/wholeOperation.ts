import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import type { Event } from "@bursar/core/event/Event"
import type { PostedLeg } from "@bursar/core/ledger/Leg"
import type { Operation } from "@bursar/core/operation/Operation"
import type { AttemptRecord, Deliveries } from "@bursar/core/port/Deliveries"
import type { NotedCall, ProviderCalls } from "@bursar/core/port/ProviderCalls"
import type { Queries } from "@bursar/core/store/Queries"
import type { WebhookEndpoint } from "@bursar/core/webhook/WebhookEndpoint"
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
  /** The newest attempts to tell of its events, newest first, and the endpoints that they were for. */
  readonly deliveries: ReadonlyArray<AttemptRecord>
  readonly endpoints: ReadonlyArray<WebhookEndpoint>
  /** What its provider was asked lately and answered, newest first. */
  readonly calls: ReadonlyArray<NotedCall>
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

/** How many attempts to tell of an operation are shown. */
const deliveriesMax = 200

/** How many calls of its provider are shown. */
const callsMax = 200

/** What an operation is read from. */
export interface OperationPorts {
  readonly queries: Queries["Service"]
  readonly tenants: Tenants["Service"]
  readonly deliveries: Deliveries["Service"]
  readonly calls: ProviderCalls["Service"]
}

/** All that is stored of the operation of an id, or `not_found`. */
export const wholeOperation = Effect.fnUntraced(function* (
  { calls, deliveries, queries, tenants }: OperationPorts,
  params: OperationParams
): Effect.fn.Return<WholeOperation, ApiError> {
  const tenant = yield* findTenant(tenants, params.tenant_id)
  const operation = yield* findOperation(queries, params)
  const { id } = operation
  const resolutions = yield* orUnavailable(queries.records(tenant.id, Resolution, id))
  const events = yield* orUnavailable(queries.eventsOf(tenant.id, id))
  const told = events.map((event) => event.id)
  return {
    ...(yield* wholePayout(queries, operation)),
    tenant,
    legs: yield* orUnavailable(queries.legs(tenant.id, id)),
    events,
    deliveries: yield* orUnavailable(deliveries.attemptsOf(tenant.id, told, deliveriesMax)),
    calls: yield* orUnavailable(calls.callsOf(tenant.id, id, callsMax)),
    endpoints: yield* orUnavailable(queries.endpoints(tenant.id)),
    // their ids tell their age
    resolutions
  }
})
