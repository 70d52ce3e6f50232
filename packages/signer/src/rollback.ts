import type { SigningView, TenantProgress } from "@bursar/core/port/SigningView"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect } from "effect"
import { tellStopped } from "./metrics.ts"
import type { SignerStore } from "./store/SignerStore.ts"

/** Whether a tenant has come less far than it had; undefined is a tenant that is not there. */
export const isBehind = (now: TenantProgress | undefined, seen: TenantProgress): boolean =>
  now === undefined || now.changeSeq < seen.changeSeq || now.eventId < seen.eventId || now.postingSeq < seen.postingSeq

/** Why nothing is signed since a tenant showed that the database is older than it was. */
export const rolledBackReason = (tenantId: string): string =>
  `the database was rolled back: tenant ${tenantId} had come further when the signer saw it last. Find out why; once the database is what it is to be, see "bursar sign --restored".`

const tell = (tenantId: string) =>
  Effect.annotateLogs(Effect.logError("signer.stopped"), { tenant: tenantId, reason: rolledBackReason(tenantId) }).pipe(
    Effect.andThen(tellStopped)
  )

/**
 * Remembers for good that the database is older than it was. The counters of a tenant that is behind pass what was seen of them by and by, and a
 * restart forgets nothing: only a person can say that it is right.
 */
export const stopFor = Effect.fnUntraced(function* ({ commit }: SignerStore, tenantId: string) {
  const at = yield* Clock.currentTimeMillis
  yield* tell(tenantId)
  yield* commit({ _tag: "RolledBack", at, tenantId })
})

/**
 * Looks at the start whether any tenant is behind what was seen of it, before the service writes to a database that was rolled back and so makes up for
 * what is missing in its counters.
 */
export const lookForRollback = Effect.fn("lookForRollback")(function* (
  store: SignerStore,
  view: SigningView["Service"]
) {
  const known = store.register.rolledBack()
  if (known !== undefined) return yield* tell(known)
  for (const [tenantId, seen] of store.register.progressOfAll())
    if (isBehind(yield* view.progress(TenantId(tenantId)), seen)) return yield* stopFor(store, tenantId)
})
