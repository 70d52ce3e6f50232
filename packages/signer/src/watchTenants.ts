import type { GrantStore } from "@bursar/core/grant/GrantStore"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect, Schedule } from "effect"
import type { KeptGrants } from "./KeptGrants.ts"
import type { SignerStore } from "./store/SignerStore.ts"

/** What tenants' chains are watched with. */
export interface WatchTenantsOptions {
  readonly grants: Pick<KeptGrants, "stateOf">
  readonly chains: Pick<GrantStore["Service"], "ends">
  readonly store: SignerStore
}

/** How often it is asked which chains have grown. */
const lookEvery = "5 seconds"

const tell = (chain: string, { message }: { readonly message: string }) =>
  Effect.annotateLogs(Effect.logError("signer.grants_unverified"), { chain, reason: message })

const unreadable = { message: "a row cannot be read" }

/**
 * A look at each tenant's chain that has grown since the last one: a waiting time counts from when a grant was first seen. Whoever hides a chain from it
 * makes it wait longer. A row that cannot be read is told, and hides nothing but its chain, or of the list of all chains the look. The first look of a store takes what stands there as old as it says; from then on the store counts what is new.
 */
export const makeTenantsLook = ({ chains, grants, store }: WatchTenantsOptions): Effect.Effect<void> => {
  /** What was said of chains that do not hold: it is said once. */
  const told = new Map<TenantId, string>()

  const lookAt = (tenantId: TenantId) =>
    grants.stateOf(tenantId).pipe(
      Effect.matchEffect({
        onSuccess: () => Effect.sync(() => void told.delete(tenantId)),
        onFailure: (error) =>
          told.get(tenantId) === error.message
            ? Effect.void
            : Effect.andThen(
                tell(tenantId, error),
                Effect.sync(() => void told.set(tenantId, error.message))
              )
      }),
      Effect.catchDefect(() => tell(tenantId, unreadable))
    )

  const lookAtAll = Effect.gen(function* () {
    for (const { number, tenantId } of yield* chains.ends)
      if (store.register.grantsSeenOn(tenantId) !== number) yield* lookAt(tenantId)
  }).pipe(Effect.catchDefect(() => tell("all", unreadable)))

  return Effect.gen(function* () {
    yield* lookAtAll
    if (store.register.watchesGrants()) return
    const at = yield* Clock.currentTimeMillis
    yield* store.commit({ _tag: "GrantsWatched", at })
  }).pipe(
    Effect.catchTags({
      StorageError: (error) => tell("all", error),
      StoreUnusable: ({ reason }) => tell("all", { message: reason })
    })
  )
}

/** Looks at tenants' chains as they grow until it is interrupted. */
export const watchTenants = (options: WatchTenantsOptions): Effect.Effect<never> =>
  makeTenantsLook(options).pipe(Effect.repeat(Schedule.spaced(lookEvery)), Effect.andThen(Effect.never))
