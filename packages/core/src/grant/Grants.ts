import { Context, Effect, Layer, Semaphore } from "effect"
import type { StorageError } from "../engine/StorageError.ts"
import { GrantStore } from "./GrantStore.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import { type GrantHeads, noHeads, verifyPast } from "./GrantHeads.ts"
import { type FleetState, type GrantState, mustAdopt, type TenantState } from "./GrantState.ts"
import {
  fleetGenesis,
  type GrantChainBroken,
  type GrantEntry,
  type GrantTrust,
  orUnreadable,
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

/** All grants of a chain after a number. */
const readAfter = Effect.fnUntraced(function* (store: GrantStore["Service"], chain: TenantId | null, number: number) {
  const read: Array<GrantEntry> = []
  for (let more = true; more;) {
    const page = yield* store.after(chain, number + read.length, grantPageMax)
    read.push(...page)
    more = page.length === grantPageMax
  }
  return read
})

/** Remembers a new end of a chain, before anybody goes by it. */
const keep = (heads: GrantHeads, { head, tenantId }: GrantState) =>
  head.number > (heads.seen(tenantId)?.number ?? 0) ? heads.keep(tenantId, head) : Effect.void

/** Verified grants over what is stored, from a root. A chain that ends before the end that `heads` remembers does not hold. */
export const layer = (trust: GrantTrust, heads: GrantHeads = noHeads): Layer.Layer<Grants, never, GrantStore> =>
  Layer.effect(
    Grants,
    Effect.gen(function* () {
      const store = yield* GrantStore
      const turn = yield* Semaphore.make(1)
      const tenants = new Map<TenantId, TenantState>()
      let known = yield* fleetGenesis(trust.root)

      const fleet = turn.withPermits(1)(
        Effect.gen(function* () {
          const verify = (some: ReadonlyArray<GrantEntry>, from: FleetState) => verifyFleet(trust, some, from)
          const reading = Effect.flatMap(readAfter(store, null, known.head.number), (entries) =>
            verifyPast(known, entries, { seen: heads.seen(null), verify })
          )
          const state = yield* orUnreadable(known, reading)
          yield* keep(heads, state)
          known = state
          return state
        })
      )

      /** A tenant's grants are read before the fleet's, so that those of the fleet that they name are there. */
      const stateOf = Effect.fn("Grants.stateOf")(function* (tenantId: TenantId) {
        const from = tenants.get(tenantId) ?? (yield* tenantGenesis(trust.root, tenantId))
        // before the grants are read: a look at the same time may see more of them, and remember that
        const seen = heads.seen(tenantId)
        const read = yield* orUnreadable(from, readAfter(store, tenantId, from.head.number))
        const over = yield* fleet
        const verify = (entries: ReadonlyArray<GrantEntry>, after: TenantState) =>
          verifyTenant(trust, { tenantId, fleet: over, entries, known: after })
        const tenant = yield* orUnreadable(from, verifyPast(from, read, { seen, verify }))
        // what nobody confirmed may be taken out again
        if (!mustAdopt(over, tenant)) yield* keep(heads, tenant)
        if (tenants.size >= rememberedMax) tenants.clear()
        // of two that looked at the same time, the one that saw more is remembered; what nobody confirmed may be taken out again
        const more = (tenants.get(tenantId)?.head.number ?? -1) <= tenant.head.number
        if (more && !mustAdopt(over, tenant)) tenants.set(tenantId, tenant)
        return { fleet: over, tenant }
      })

      return Grants.of({ trust, fleet, stateOf })
    })
  )
