import { Effect } from "effect"
import { StorageError } from "../engine/StorageError.ts"
import type { Tenant, TenantId } from "../tenant/Tenant.ts"

/** A tenant whose row somebody has made unreadable. It is there: it owns and owes what it did. */
export interface UnreadableTenant {
  readonly id: TenantId
  /** Why its row cannot be read. */
  readonly problem: string
}

/** All tenants. One whose row cannot be read keeps nobody from the others. */
export interface TenantList {
  /** Those that can be read, oldest first. */
  readonly tenants: ReadonlyArray<Tenant>
  readonly unreadable: ReadonlyArray<UnreadableTenant>
}

/** All tenants, for what would be wrong without one of them: fails where one cannot be read. */
export const everyTenant = (
  list: Effect.Effect<TenantList, StorageError>
): Effect.Effect<ReadonlyArray<Tenant>, StorageError> =>
  Effect.flatMap(list, ({ tenants, unreadable: [first] }) =>
    first === undefined
      ? Effect.succeed(tenants)
      : Effect.fail(
          new StorageError({ doing: `read every tenant: ${first.id} is unreadable`, cause: new Error(first.problem) })
        )
  )
