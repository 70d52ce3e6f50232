import { Context, Effect, Layer, Semaphore } from "effect"
import type { StorageError } from "../engine/StorageError.ts"
import { GrantStore } from "./GrantStore.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import { type FleetState, type GrantState, mustAdopt, type TenantState } from "./GrantState.ts"
import {
  fleetGenesis,
  type GrantChainBroken,
  type GrantEntry,
  type GrantTrust,
  tenantGenesis,
  verifyFleet,
  verifyTenant
} from "./verifyChain.ts"

/** How many grants are read at once. */
export const grantPageMax = 500

/** How many tenants' states are remembered. */
const rememberedMax = 1_000

/** What the chain of a tenant says, with what that of the fleet says. Both were verified. */
export interface VerifiedChains {
  readonly fleet: FleetState
  readonly tenant: TenantState
}

/**
 * What verified grants say now. Each call reads what was appended since the last one and verifies that alone; a chain that was verified once
 * is not read again, so a change of its old rows has no effect here. A chain that does not hold fails, whatever it said before.
 */
export class Grants extends Context.Service<
  Grants,
  {
    readonly trust: GrantTrust
    readonly fleet: Effect.Effect<FleetState, GrantChainBroken | StorageError>
    readonly stateOf: (tenantId: TenantId) => Effect.Effect<VerifiedChains, GrantChainBroken | StorageError>
  }
>()("@bursar/core/grant/Grants") {}

/** Follows a chain from where it is known to its end. */
const follow = <S extends GrantState>(
  store: GrantStore["Service"],
  known: S,
  verify: (entries: ReadonlyArray<GrantEntry>, known: S) => Effect.Effect<S, GrantChainBroken>
): Effect.Effect<S, GrantChainBroken | StorageError> =>
  Effect.gen(function* () {
    let state = known
    for (;;) {
      const entries = yield* store.after(state.tenantId, state.head.number, grantPageMax)
      state = yield* verify(entries, state)
      if (entries.length < grantPageMax) return state
    }
  })

/** Verified grants over what is stored, from a root. */
export const layer = (trust: GrantTrust): Layer.Layer<Grants, never, GrantStore> =>
  Layer.effect(
    Grants,
    Effect.gen(function* () {
      const store = yield* GrantStore
      const turn = yield* Semaphore.make(1)
      const tenants = new Map<TenantId, TenantState>()
      let known = yield* fleetGenesis(trust.root)

      const fleet = turn.withPermits(1)(
        Effect.suspend(() => follow(store, known, (entries, from) => verifyFleet(trust, entries, from))).pipe(
          Effect.tap((state) => Effect.sync(() => void (known = state)))
        )
      )

      /** A tenant's grants are read before the fleet's, so that those of the fleet that they name are there. */
      const stateOf = Effect.fn("Grants.stateOf")(function* (tenantId: TenantId) {
        const from = tenants.get(tenantId) ?? (yield* tenantGenesis(trust.root, tenantId))
        const read: Array<GrantEntry> = []
        for (let more = true; more;) {
          const page = yield* store.after(tenantId, from.head.number + read.length, grantPageMax)
          read.push(...page)
          more = page.length === grantPageMax
        }
        const over = yield* fleet
        const tenant = yield* verifyTenant(trust, { tenantId, fleet: over, entries: read, known: from })
        if (tenants.size >= rememberedMax) tenants.clear()
        // of two that looked at the same time, the one that saw more is remembered; what nobody confirmed may be taken out again
        const more = (tenants.get(tenantId)?.head.number ?? -1) <= tenant.head.number
        if (more && !mustAdopt(over, tenant)) tenants.set(tenantId, tenant)
        return { fleet: over, tenant }
      })

      return Grants.of({ trust, fleet, stateOf })
    })
  )
