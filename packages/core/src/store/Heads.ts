import { Context, type Effect } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import type { StorageError } from "../engine/StorageError.ts"
import type { TenantId } from "../tenant/Tenant.ts"

/** A tenant about which something was committed, and the last of its events. */
export interface MovedTenant {
  readonly tenantId: TenantId
  readonly eventId: number
}

/** How far everything has come: a count that differs from an earlier one says that there is something new. */
export interface HeadCounts {
  /** Of what was committed for tenants: their events, postings and moments of commit, summed up. */
  readonly commits: string
  /** Of the changes of deposits. */
  readonly deposits: string
  /** Of what was committed for the service itself: observations, breaks, switches and its own grants. */
  readonly service: string
  /** Of what operators did. */
  readonly actions: string
  /** The moment of the newest commit for a tenant; 0 where there was none. */
  readonly newest: Timestamp
}

/** Counts, and the tenants that moved. */
export interface HeadsRead extends HeadCounts {
  /** Those that a commit at or after the moment asked for moved, latest first, at most the limit. */
  readonly moved: ReadonlyArray<MovedTenant>
}

/**
 * How far all tenants have come, for those who want to know what is new without reading it all. It costs a row for each tenant and
 * no row of what they own, so that it can be read every second. Every process reads the same counts.
 */
export class Heads extends Context.Service<
  Heads,
  {
    readonly read: (movedSince: Timestamp, limit: number) => Effect.Effect<HeadsRead, StorageError>
  }
>()("@bursar/core/store/Heads") {}
