import { Context, type Effect } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import type { StorageError } from "../engine/StorageError.ts"
import type { Grant, GrantProposal } from "./Grant.ts"
import type { TenantId } from "../tenant/Tenant.ts"

/** How far a tenant's chain goes, by what is stored. */
export interface ChainEnd {
  readonly tenantId: TenantId
  readonly number: number
}

/** The chains of grants, to be read: null is that of the fleet. Nothing that this gives is believed. Changes go through commands. */
export class GrantStore extends Context.Service<
  GrantStore,
  {
    /** The grants of a chain after a number, in their order. */
    readonly after: (
      chain: TenantId | null,
      number: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Grant>, StorageError>
    /** The tenants that have grants, each with the number of its last one. */
    readonly ends: Effect.Effect<ReadonlyArray<ChainEnd>, StorageError>
    /**
     * The proposals of a chain: first all that are undecided and have not expired by a moment, however many others were made since, then the newest of the
     * others, as many as `limit`; each newest first.
     */
    readonly proposals: (
      chain: TenantId | null,
      now: Timestamp,
      limit: number
    ) => Effect.Effect<ReadonlyArray<GrantProposal>, StorageError>
    readonly proposal: (chain: TenantId | null, id: string) => Effect.Effect<GrantProposal | undefined, StorageError>
  }
>()("@bursar/core/grant/GrantStore") {}
