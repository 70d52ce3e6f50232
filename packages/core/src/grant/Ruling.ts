import { Effect, Option } from "effect"
import type { StorageError } from "../engine/StorageError.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import { Grants, type VerifiedChains } from "./Grants.ts"
import type { GrantChainBroken } from "./verifyChain.ts"

/** By what grants judge a tenant: verified chains, or why they do not hold. Undefined where the process has no root, and rows decide. */
export type Ruling = VerifiedChains | GrantChainBroken | undefined

/** What grants say of a tenant now. Everything that was verified before is remembered, and only what was appended since is read. */
export const rulingOf = (tenantId: TenantId): Effect.Effect<Ruling, StorageError> =>
  Effect.flatMap(
    Effect.serviceOption(Grants),
    Option.match({
      onNone: () => Effect.succeed(undefined),
      onSome: ({ stateOf }): Effect.Effect<Ruling, StorageError> =>
        Effect.catchTag(stateOf(tenantId), "GrantChainBroken", (broken) => Effect.succeed(broken))
    })
  )
