import { toIso } from "@bursar/core/base/Timestamp"
import type { VerifiedChains } from "@bursar/core/grant/Grants"
import { grantHash } from "@bursar/core/grant/grantHash"
import {
  type Cooling,
  type FleetState,
  type GrantState,
  mustAdopt,
  type TenantState
} from "@bursar/core/grant/GrantState"
import { verifyPast } from "@bursar/core/grant/GrantHeads"
import type { GrantStore } from "@bursar/core/grant/GrantStore"
import {
  fleetGenesis,
  type GrantChainBroken,
  type GrantEntry,
  type GrantTrust,
  orUnreadable,
  tenantGenesis,
  verifyFleet,
  verifyKept,
  verifyTenant
} from "@bursar/core/grant/verifyChain"
import type { StorageError } from "@bursar/core/engine/StorageError"
import { VaultError } from "@bursar/core/port/Vault"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Deferred, Effect, Schedule, Semaphore } from "effect"
import type { SignerStore } from "./store/SignerStore.ts"

/** How many grants are read at once. */
const pageMax = 500

/** How many tenants' states are kept in memory. The one that was not asked for the longest is dropped, and verified anew from the root. */
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
  /**
   * Looks at the fleet's chain and remembers its end. Who does so often, and not only when something is to be signed, leaves whoever has the database no
   * time to take the removal of an approver back out.
   */
  readonly fleet: Effect.Effect<FleetState, GrantChainBroken | StorageError | VaultError>
  readonly stateOf: (tenantId: TenantId) => Effect.Effect<VerifiedChains, GrantChainBroken | StorageError | VaultError>
  /** What the tenant's chain said when it was last looked at; undefined where it was not, or a thousand others were since. */
  readonly lastSeen: (tenantId: TenantId) => TenantState | undefined
}

/** How a chain is followed. */
interface Following<S> {
  readonly verify: (entries: ReadonlyArray<GrantEntry>, known: S) => Effect.Effect<S, GrantChainBroken>
  /** Whether what stands on it then stays. */
  readonly isFinal: (state: S) => boolean
  /** The grants on it that have to be known for a while. */
  readonly coolingOn: (state: S) => ReadonlyArray<Cooling>
}

/** How often the fleet's chain is looked at when nobody asks for a signature. */
const fleetLookEvery = "5 seconds"

/** Looks at the fleet's chain until it is interrupted, and says so each time that it does not hold: nothing is signed then. */
export const watchFleet = ({ fleet }: Pick<KeptGrants, "fleet">): Effect.Effect<never> =>
  fleet.pipe(
    Effect.catch(({ message }) =>
      Effect.annotateLogs(Effect.logError("signer.grants_unverified"), { chain: "fleet", reason: message })
    ),
    Effect.repeat(Schedule.spaced(fleetLookEvery)),
    Effect.andThen(Effect.never)
  )

/**
 * Chains of grants, verified from the root, whose ends are remembered on the signer's disk.
 *
 * **Details**
 *
 * Each look reads the last grant that was verified and those after it. Where that one is gone or another, the chain was cut, rolled back or
 * rewritten, and the look fails; likewise where a chain that is verified anew does not have the grant that the store remembers. The new end
 * is on the disk before anybody goes by it, with when it was seen where a grant has to be known for a while. A chain that must adopt is remembered as it was before: keys of removed approvers may have added
 * the rest, and taking that out again is no cut.
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

  /** Those of the grants that have to be known for a while whose time begins now: new ones, and those that a clock that was ahead has seen in the future. */
  const beginning = (cooling: ReadonlyArray<Cooling>, seen: number, now: number) =>
    cooling.filter(({ hash, number }) =>
      number > seen ? store.register.watchesGrants() : (store.register.grantSeenAt(hash) ?? now) > now
    )

  /** A state after the grants that follow; the one that the store remembers is among them. */
  const advanced = Effect.fnUntraced(function* <S extends GrantState>(
    known: S,
    entries: ReadonlyArray<GrantEntry>,
    { coolingOn, isFinal, verify }: Following<S>
  ) {
    const { tenantId } = known
    const seen = store.register.grantHeadOf(tenantId)
    const state = yield* verifyPast(known, entries, { seen, verify })
    if (!isFinal(state)) return state
    const seenAt = yield* Clock.currentTimeMillis
    const before = store.register.grantsSeenOn(tenantId)
    const begun = beginning(coolingOn(state), before, seenAt)
    if (state.head.number > before || begun.length > 0) {
      const cooling = begun.length > 0 && { cooling: { hashes: begun.map(({ hash }) => hash), seenAt } }
      yield* Effect.mapError(
        store.commit({ _tag: "GrantHead", tenantId, ...state.head, ...cooling }),
        ({ reason }) => new VaultError({ doing: "sign", reason })
      )
    }
    for (const { forMs, number, says } of begun)
      yield* Effect.annotateLogs(Effect.logInfo("signer.grant_cools"), {
        tenant: tenantId,
        number,
        says,
        until: toIso(seenAt + forMs)
      })
    return state
  })

  const lookAtFleet = Effect.gen(function* () {
    const verify = (entries: ReadonlyArray<GrantEntry>, known: FleetState) => verifyFleet(trust, entries, known)
    const following = Effect.flatMap(readAfter(fleet), (entries) =>
      advanced(fleet, entries, { verify, isFinal: () => true, coolingOn: () => [] })
    )
    fleet = yield* orUnreadable(fleet, following)
    return fleet
  })

  /** A tenant's grants are read before the fleet's, so that those of the fleet that they name are there. */
  const stateOf = Effect.fn("KeptGrants.stateOf")(function* (tenantId: TenantId) {
    const from = tenants.get(tenantId) ?? (yield* tenantGenesis(trust.root, tenantId))
    const own = yield* orUnreadable(from, readAfter(from))
    const over = yield* lookAtFleet
    const isFinal = (state: TenantState) => !mustAdopt(over, state)
    const verify = (entries: ReadonlyArray<GrantEntry>, known: TenantState) =>
      verifyTenant(trust, { tenantId, fleet: over, entries, known })
    const coolingOn = ({ cooling }: TenantState) => cooling
    const tenant = yield* orUnreadable(from, advanced(from, own, { verify, isFinal, coolingOn }))
    if (isFinal(tenant)) {
      tenants.delete(tenantId)
      tenants.set(tenantId, tenant)
    }
    const [longest] = tenants.keys()
    if (longest !== undefined && tenants.size > tenantsMax) tenants.delete(longest)
    return { fleet: over, tenant } satisfies VerifiedChains
  })

  /** Looks that wait for their turn. */
  const waiting = new Map<TenantId, Deferred.Deferred<VerifiedChains, GrantChainBroken | StorageError | VaultError>>()

  /** A look that has not begun: the one that waits for its turn, or one that waits from now on. */
  const nextLook = (tenantId: TenantId) =>
    Effect.suspend(() => {
      const there = waiting.get(tenantId)
      if (there !== undefined) return Effect.succeed(there)
      const answer = Deferred.makeUnsafe<VerifiedChains, GrantChainBroken | StorageError | VaultError>()
      waiting.set(tenantId, answer)
      const look = Effect.suspend(() => {
        waiting.delete(tenantId)
        return stateOf(tenantId)
      })
      // it goes on without whoever asked first, for those who joined
      return Effect.as(Effect.forkDetach(Deferred.into(turn.withPermit(look), answer)), answer)
    }).pipe(Effect.uninterruptible)

  return {
    fleet: turn.withPermit(lookAtFleet),
    stateOf: (tenantId) => Effect.flatMap(nextLook(tenantId), Deferred.await),
    lastSeen: (tenantId) => tenants.get(tenantId)
  } satisfies KeptGrants
})
