import type { VerifiedChains } from "@bursar/core/grant/Grants"
import { grantHash } from "@bursar/core/grant/grantHash"
import type { GrantState, TenantState } from "@bursar/core/grant/GrantState"
import type { GrantStore } from "@bursar/core/grant/GrantStore"
import {
  fleetGenesis,
  GrantChainBroken,
  type GrantEntry,
  type GrantTrust,
  tenantGenesis,
  verifyFleet,
  verifyKept,
  verifyTenant
} from "@bursar/core/grant/verifyChain"
import type { StorageError } from "@bursar/core/engine/StorageError"
import { VaultError } from "@bursar/core/port/Vault"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Semaphore } from "effect"
import type { SignerStore } from "./store/SignerStore.ts"

/** How many grants are read at once. */
const pageMax = 500

/** How many tenants' states are kept in memory. One that is dropped is verified anew from the root. */
const tenantsMax = 1_000

/** What chains of grants are verified and remembered with. */
export interface KeptGrantsOptions {
  readonly trust: GrantTrust
  /** Nothing that it gives is believed. */
  readonly chains: GrantStore["Service"]
  readonly store: SignerStore
}

/** Verified grants of a tenant, and of the fleet. */
export interface KeptGrants {
  readonly stateOf: (tenantId: TenantId) => Effect.Effect<VerifiedChains, GrantChainBroken | StorageError | VaultError>
}

type Verify<S> = (entries: ReadonlyArray<GrantEntry>, known: S) => Effect.Effect<S, GrantChainBroken>

const unreadable = ({ head, tenantId }: GrantState) =>
  new GrantChainBroken({ tenantId, position: head.number + 1, code: "unreadable", reason: "its row cannot be read" })

/**
 * Chains of grants, verified from the root, whose ends are remembered on the signer's disk.
 *
 * **Details**
 *
 * Each look reads the last grant that was verified and those after it. Where that one is gone or another, the chain was cut, rolled back or
 * rewritten, and the look fails; likewise where a chain that is verified anew does not have the grant that the store remembers. The new end
 * is on the disk before anybody goes by it.
 */
export const makeKeptGrants = Effect.fnUntraced(function* ({ chains, store, trust }: KeptGrantsOptions) {
  const turn = yield* Semaphore.make(1)
  const tenants = new Map<TenantId, TenantState>()
  let fleet = yield* fleetGenesis(trust.root)

  const read = Effect.fnUntraced(function* (chain: TenantId | null, after: number) {
    const entries: Array<GrantEntry> = []
    for (let more = true; more;) {
      const page = yield* chains.after(chain, after + entries.length, pageMax)
      entries.push(...page)
      more = page.length === pageMax
    }
    return entries
  })

  /** The grants after a state whose last one still stands where it did. */
  const readAfter = Effect.fnUntraced(function* <S extends GrantState>({ head, tenantId }: S) {
    if (head.number === 0) return yield* read(tenantId, 0)
    const [last, ...later] = yield* read(tenantId, head.number - 1)
    yield* verifyKept(tenantId, head, last === undefined ? undefined : yield* grantHash(last.document))
    return later
  })

  /** A state after the grants that follow; the one that the store remembers is among them. */
  const advanced = Effect.fnUntraced(function* <S extends GrantState>(
    known: S,
    entries: ReadonlyArray<GrantEntry>,
    verify: Verify<S>
  ) {
    const { tenantId } = known
    const seen = store.register.grantHeadOf(tenantId)
    const upTo = Math.max(0, (seen?.number ?? 0) - known.head.number)
    const before = yield* verify(entries.slice(0, upTo), known)
    if (upTo > 0 && seen !== undefined)
      yield* verifyKept(tenantId, seen, before.head.number === seen.number ? before.head.hash : undefined)
    const state = yield* verify(entries.slice(upTo), before)
    if (state.head.number > (seen?.number ?? 0)) {
      yield* Effect.mapError(
        store.commit({ _tag: "GrantHead", tenantId, ...state.head }),
        ({ reason }) => new VaultError({ doing: "sign", reason })
      )
    }
    return state
  })

  /** Rows that cannot even be read are a fault of their chain, and of no other. */
  const guarded = <A, E, S extends GrantState>(state: S, effect: Effect.Effect<A, E>) =>
    Effect.catchDefect(effect, () => Effect.fail(unreadable(state)))

  /** A tenant's grants are read before the fleet's, so that those of the fleet that they name are there. */
  const stateOf = Effect.fn("KeptGrants.stateOf")(function* (tenantId: TenantId) {
    const from = tenants.get(tenantId) ?? (yield* tenantGenesis(trust.root, tenantId))
    const own = yield* guarded(from, readAfter(from))
    const over = yield* guarded(
      fleet,
      Effect.flatMap(readAfter(fleet), (entries) =>
        advanced(fleet, entries, (some, known) => verifyFleet(trust, some, known))
      )
    )
    fleet = over
    const tenant = yield* guarded(
      from,
      advanced(from, own, (entries, known) => verifyTenant(trust, { tenantId, fleet: over, entries, known }))
    )
    if (tenants.size >= tenantsMax) tenants.clear()
    tenants.set(tenantId, tenant)
    return { fleet: over, tenant } satisfies VerifiedChains
  })

  return { stateOf: (tenantId) => turn.withPermit(stateOf(tenantId)) } satisfies KeptGrants
})
