import { Effect, Layer } from "effect"
import type { StorageError } from "../engine/StorageError.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import { GrantStore } from "./GrantStore.ts"
import { Grants, layer as layerGrants } from "./Grants.ts"
import { type GrantHead, mustAdopt } from "./GrantState.ts"
import type { GrantTrust } from "./verifyChain.ts"

/** How a chain stands. */
export interface ChainReport {
  /** Null for the fleet. */
  readonly tenantId: TenantId | null
  /** Its last grant; null where it does not hold. */
  readonly head: GrantHead | null
  /** Whether the approvers have confirmed it since they last became stricter (`mustAdopt`). */
  readonly adopted: boolean
  /** Why it does not hold, null where it does. */
  readonly problem: string | null
}

/** Verifies the chain of the fleet and those of some tenants anew, from the root alone. Without the fleet's, no other can be verified. */
export const verifyAll = (
  trust: GrantTrust,
  store: GrantStore["Service"],
  tenants: ReadonlyArray<{ readonly id: TenantId }>
): Effect.Effect<ReadonlyArray<ChainReport>, StorageError> =>
  Effect.gen(function* () {
    const grants = yield* Grants
    const broken = (tenantId: TenantId | null, problem: string): ChainReport => ({
      tenantId,
      head: null,
      adopted: false,
      problem
    })
    const fleet = yield* grants.fleet.pipe(
      Effect.map(({ head }): ChainReport => ({ tenantId: null, head, adopted: true, problem: null })),
      Effect.catchTag("GrantChainBroken", ({ message }) => Effect.succeed(broken(null, message)))
    )
    const others = yield* Effect.forEach(tenants, ({ id }) =>
      grants.stateOf(id).pipe(
        Effect.map(({ fleet: over, tenant }): ChainReport => ({
          tenantId: id,
          head: tenant.head,
          adopted: !mustAdopt(over, tenant),
          problem: null
        })),
        Effect.catchTag("GrantChainBroken", ({ message }) => Effect.succeed(broken(id, message)))
      )
    )
    return [fleet, ...others]
  }).pipe(Effect.provide(Layer.fresh(layerGrants(trust))), Effect.provideService(GrantStore, store))
