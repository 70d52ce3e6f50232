import { Clock, Effect } from "effect"
import { tellStopped } from "./metrics.ts"
import { tenantBehind } from "./store/Register.ts"
import type { SignerStore } from "./store/SignerStore.ts"
import { chainName, chainsCut, lostAudit, tenantsBehind } from "./whatIsLost.ts"

/** Why nothing is signed since something showed that the database is older than it was. */
export const rolledBackReason = (what: string): string =>
  `the database was rolled back: ${what} when the signer saw it last. Find out why; once the database is what it is to be, see "bursar sign --restored".`

const tell = (what: string) => tellStopped(rolledBackReason(what))

/**
 * Remembers for good that the database is older than it was, which a tenant or `what` shows. The counters of a tenant that is behind pass what was seen
 * of them by and by, and a restart forgets nothing: only a person can say that it is right.
 */
export const stopFor = Effect.fnUntraced(function* (
  { commit }: SignerStore,
  by: { readonly tenantId: string } | { readonly what: string }
) {
  const at = yield* Clock.currentTimeMillis
  yield* tell("what" in by ? by.what : tenantBehind(by.tenantId))
  yield* commit({ _tag: "RolledBack", at, ...by })
})

/**
 * Looks, whenever the turn to sign was taken, whether anything that was seen of the database is no longer there: how far a tenant had come, the end of a chain of grants, or what
 * the newest seal of the audit log covers. That is before the service writes to a database that was rolled back and so makes up for what is missing.
 */
export const lookForRollback = Effect.fn("lookForRollback")(function* (store: SignerStore) {
  const known = store.register.rolledBack()
  if (known !== undefined) return yield* tell(known.what)
  const [tenant] = yield* tenantsBehind(store)
  if (tenant !== undefined) return yield* stopFor(store, { tenantId: tenant.tenantId })
  const [chain] = yield* chainsCut(store)
  if (chain !== undefined)
    return yield* stopFor(store, { what: `${chainName(chain.tenantId)} had grant ${chain.head.number}` })
  const audit = yield* lostAudit(store)
  if (audit === undefined) return
  const had = audit.record ? `record ${audit.record.id}` : `what seal ${audit.seal?.number} covers`
  yield* stopFor(store, { what: `the audit log had ${had}` })
})
