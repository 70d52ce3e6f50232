import { Context, type Effect } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import type { StorageError } from "../engine/StorageError.ts"
import type { TenantId } from "../tenant/Tenant.ts"

/** How much of one tenant waits for an operator. */
export interface TenantWaiting {
  readonly tenantId: TenantId
  readonly slug: string
  /** Adjustments of its float that another operator is to decide. */
  readonly adjustments: number
  /** What was said of operations that another operator is to decide. */
  readonly resolutions: number
  /** Proposals of its chain of grants that are undecided and have not expired. Its chain may have gone on without them. */
  readonly proposals: number
  /** Webhook endpoints that are switched off. */
  readonly endpointsOff: number
  /** Webhook endpoints that are on, and of which something that failed waits to be tried again. */
  readonly endpointsFailing: number
  /** Balances in suspense, by place and currency, that are not zero. */
  readonly suspense: number
}

/** What waits for an operator, over all tenants. */
export class Waiting extends Context.Service<
  Waiting,
  {
    /**
     * The tenants of which something waits at a moment, by their slugs; the fleet's chain of grants is among them under its own tenant. Nothing is
     * counted further than `most`, so that it costs a few looks into indexes for each tenant, however much there is.
     */
    readonly all: (now: Timestamp, most: number) => Effect.Effect<ReadonlyArray<TenantWaiting>, StorageError>
  }
>()("@bursar/core/store/Waiting") {}
