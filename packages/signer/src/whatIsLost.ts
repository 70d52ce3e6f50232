import { grantHash } from "@bursar/core/grant/grantHash"
import { GrantStore } from "@bursar/core/grant/GrantStore"
import { AuditSeals } from "@bursar/core/port/AuditSeals"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { SigningView, type TenantProgress } from "@bursar/core/port/SigningView"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { KeptHead } from "./store/Register.ts"
import type { SignerStore } from "./store/SignerStore.ts"

/** Whether a tenant has come less far than it had; undefined is a tenant that is not there. */
export const isBehind = (now: TenantProgress | undefined, seen: TenantProgress): boolean =>
  now === undefined || now.changeSeq < seen.changeSeq || now.eventId < seen.eventId || now.postingSeq < seen.postingSeq

/** The tenants that had come further, and how far they are. */
export const tenantsBehind = Effect.fnUntraced(function* ({ register }: SignerStore) {
  // what is seen while the database is read proves nothing
  const before = [...register.progressOfAll()]
  const all = yield* (yield* SigningView).progressOfAll
  const found: Array<{
    readonly tenantId: string
    readonly seen: TenantProgress
    readonly now: TenantProgress | null
  }> = []
  for (const [tenantId, seen] of before) {
    const now = all.get(TenantId(tenantId))
    if (isBehind(now, seen)) found.push({ tenantId, seen, now: now ?? null })
  }
  return found
})

/**
 * A row that cannot be read says nothing of a rollback: it is told, and the rest is looked at. Whoever goes by what it stands in refuses that, as signatures
 * by its chain.
 */
const unlessUnreadable = <A, E, R>(effect: Effect.Effect<A, E, R>, told: Effect.Effect<void>) =>
  Effect.catchDefect(effect, () => Effect.as(told, undefined))

const cutChains = Effect.fnUntraced(function* ({ register }: SignerStore) {
  const chains = yield* GrantStore
  const found: Array<{ readonly tenantId: string | null; readonly head: KeptHead }> = []
  for (const [tenantId, head] of register.grantHeads()) {
    if (head.number === 0) continue
    const stands = Effect.gen(function* () {
      const [last] = yield* chains.after(tenantId === null ? null : TenantId(tenantId), head.number - 1, 1)
      return last !== undefined && (yield* grantHash(last.document)) === head.hash
    })
    const unverified = Effect.annotateLogs(Effect.logError("signer.grants_unverified"), {
      chain: tenantId ?? "fleet",
      reason: `the row of grant ${head.number} cannot be read`
    })
    if ((yield* unlessUnreadable(stands, unverified)) === false) found.push({ tenantId, head })
  }
  return found
})

/** The chains of grants whose last grant that was seen is not where it stood. */
export const chainsCut = (store: SignerStore) =>
  Effect.flatMap(SigningView, ({ onPrimary }) => onPrimary(cutChains(store)))

const sealGone = Effect.fnUntraced(function* ({ register }: SignerStore) {
  const seal = register.auditSeal()
  if (seal === undefined) return undefined
  const [audit, seals] = [yield* OperatorAudit, yield* AuditSeals]
  const isWhole = Effect.gen(function* () {
    const [record] = yield* audit.after(seal.toId - 1, 1)
    const last = yield* seals.last
    // the newest one may not have been stored yet
    return record?.id === seal.toId && record.hash === seal.hash && (last?.number ?? 0) >= seal.number - 1
  })
  const broken = Effect.annotateLogs(Effect.logError("audit.broken"), {
    reason: `record ${seal.toId} or the newest seal cannot be read`
  })
  return (yield* unlessUnreadable(isWhole, broken)) === false ? seal : undefined
})

/** The newest seal, where the log no longer has what it covers, or not the seals before it. */
export const lostSeal = (store: SignerStore) =>
  Effect.flatMap(SigningView, ({ onPrimary }) => onPrimary(sealGone(store)))

/** The name of a chain of grants; null is that of the fleet. */
export const chainName = (tenantId: string | null): string =>
  `the chain of ${tenantId === null ? "the fleet" : `tenant ${tenantId}`}`
