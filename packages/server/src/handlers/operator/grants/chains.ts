import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import type { StorageError } from "@bursar/core/engine/StorageError"
import type { KnownChain } from "@bursar/core/grant/grantCommands"
import { Grants } from "@bursar/core/grant/Grants"
import type { GrantChainBroken } from "@bursar/core/grant/verifyChain"
import type { Tenants } from "@bursar/core/port/Tenants"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Option } from "effect"
import { orUnavailable } from "../../../refusals.ts"
import { findTenant } from "../found.ts"

/** The name of the fleet's chain in paths. */
const fleetChain = "fleet"

/** The tenant of a chain that a path names, null for the fleet; `not_found` where there is no such tenant. */
export const chainNamed = (tenants: Tenants["Service"], chain: string): Effect.Effect<TenantId | null, ApiError> =>
  chain === fleetChain ? Effect.succeed(null) : Effect.map(findTenant(tenants, chain), ({ id }) => id)

/** What verified grants say; refused where the service was given no root to verify them from. */
export const grantsHere: Effect.Effect<Effect.Effect<Grants["Service"], ApiError>> = Effect.map(
  Effect.serviceOption(Grants),
  Option.match({
    onNone: () =>
      Effect.fail(apiError("product_not_enabled", { message: "The service has no root of grants: set GRANT_ROOT." })),
    onSome: (grants) => Effect.succeed(grants)
  })
)

/** The answer where a chain does not hold: nothing goes by it, and nothing is added to it. */
export const orBroken = <A, R>(
  effect: Effect.Effect<A, GrantChainBroken | StorageError, R>
): Effect.Effect<A, ApiError, R> =>
  Effect.catch(effect, (error) =>
    error._tag === "StorageError"
      ? orUnavailable(Effect.fail(error))
      : Effect.andThen(
          Effect.logError("grant.chain_broken").pipe(
            Effect.annotateLogs({
              tenant: error.tenantId ?? fleetChain,
              position: error.position,
              code: error.code,
              reason: error.reason
            })
          ),
          Effect.fail(apiError("state_conflict", { message: `The chain of grants does not hold: ${error.message}` }))
        )
  )

/** A chain as it is verified now. */
export const knownChain = (grants: Grants["Service"], chain: TenantId | null): Effect.Effect<KnownChain, ApiError> =>
  orBroken(chain === null ? Effect.map(grants.fleet, (fleet) => ({ fleet })) : grants.stateOf(chain))
