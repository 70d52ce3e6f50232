import type { AuditSeal } from "@bursar/core/audit/AuditSeal"
import { grantHash } from "@bursar/core/grant/grantHash"
import { GrantStore } from "@bursar/core/grant/GrantStore"
import { AuditSeals } from "@bursar/core/port/AuditSeals"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { SigningView, type TenantProgress } from "@bursar/core/port/SigningView"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect } from "effect"
import { isBehind } from "./rollback.ts"
import type { KeptHead } from "./store/Register.ts"
import type { SignerStore } from "./store/SignerStore.ts"

const counted = ({ changeSeq, eventId, postingSeq }: TenantProgress): string =>
  `change ${changeSeq}, event ${eventId} and posting ${postingSeq}`

/** The tenants that had come further, and how far they are. */
const tenantsBehind = Effect.fnUntraced(function* ({ register }: SignerStore) {
  const view = yield* SigningView
  const found: Array<{
    readonly tenantId: string
    readonly seen: TenantProgress
    readonly now: TenantProgress | null
  }> = []
  for (const [tenantId, seen] of register.progressOfAll()) {
    const now = yield* view.progress(TenantId(tenantId))
    if (isBehind(now, seen)) found.push({ tenantId, seen, now: now ?? null })
  }
  return found
})

/** The chains of grants whose last grant that was seen is not where it stood. */
const chainsCut = Effect.fnUntraced(function* ({ register }: SignerStore) {
  const chains = yield* GrantStore
  const found: Array<{ readonly tenantId: string | null; readonly head: KeptHead }> = []
  for (const [tenantId, head] of register.grantHeads()) {
    if (head.number === 0) continue
    const [last] = yield* chains.after(tenantId === null ? null : TenantId(tenantId), head.number - 1, 1)
    if (last === undefined || (yield* grantHash(last.document)) !== head.hash) found.push({ tenantId, head })
  }
  return found
})

/** The newest seal, where the log no longer has what it covers, or not the seals before it. */
const lostSeal = Effect.fnUntraced(function* ({ register }: SignerStore) {
  const seal = register.auditSeal()
  if (seal === undefined) return undefined
  const [record] = yield* (yield* OperatorAudit).after(seal.toId - 1, 1)
  const last = yield* (yield* AuditSeals).last
  // the newest one may not have been stored yet
  const isWhole = record?.id === seal.toId && record.hash === seal.hash && (last?.number ?? 0) >= seal.number - 1
  return isWhole ? undefined : seal
})

const detailOf = ({ hash, number, toId }: AuditSeal): string =>
  `seal ${number} of the audit log, over records up to ${toId}, the last with the hash ${hash}`

/**
 * Takes a database that was restored as it is, by a person's word: counters, chains of grants and the audit log go on from where they stand
 * now, and the signer signs again. It forgets no request that it has signed for, so nothing is signed twice, and nothing that limits count. Says of each thing what it
 * gave up; gives how many.
 */
export const takeRestored = Effect.fn("takeRestored")(function* (store: SignerStore) {
  const tenants = yield* tenantsBehind(store)
  const cut = yield* chainsCut(store)
  const seal = yield* lostSeal(store)
  yield* store.commit({
    _tag: "Restored",
    at: yield* Clock.currentTimeMillis,
    progress: tenants.map(({ now, tenantId }) => ({ tenantId, now })),
    chains: cut.map(({ tenantId }) => tenantId),
    sealLost: seal !== undefined
  })
  const details = [
    ...tenants.map(
      ({ now, seen, tenantId }) =>
        `tenant ${tenantId} had come to ${counted(seen)}, and is ${now === null ? "gone" : `at ${counted(now)}`}`
    ),
    ...cut.map(
      ({ head, tenantId }) =>
        `the chain of ${tenantId === null ? "the fleet" : `tenant ${tenantId}`} had grant ${head.number} with the hash ${head.hash}`
    ),
    ...(seal === undefined ? [] : [detailOf(seal)])
  ]
  for (const detail of details) yield* Effect.annotateLogs(Effect.logWarning("signer.gave_up"), { detail })
  yield* Effect.annotateLogs(Effect.logInfo("signer.restored"), { given_up: details.length })
  return details.length
})
