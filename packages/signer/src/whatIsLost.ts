import type { AuditSeal } from "@bursar/core/audit/AuditSeal"
import type { Grant } from "@bursar/core/grant/Grant"
import { grantHash } from "@bursar/core/grant/grantHash"
import { GrantStore } from "@bursar/core/grant/GrantStore"
import { AuditSeals } from "@bursar/core/port/AuditSeals"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { SigningView, type TenantProgress } from "@bursar/core/port/SigningView"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { RecordLeft } from "./store/Entry.ts"
import type { KeptHead } from "./store/Register.ts"
import type { SignerStore } from "./store/SignerStore.ts"
import { StoreUnusable } from "./store/StoreUnusable.ts"

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

/** Nothing is given up for what cannot be read. */
const unreadable = (what: string) =>
  new StoreUnusable({
    reason: `${what} has a row that cannot be read, so nobody can be told where it ends. Mend or remove that row first.`
  })

const grantsPerRead = 500

/** The last grant that a chain has now; that of no grant where it is empty. None of it was verified. */
export const chainEnd = Effect.fnUntraced(
  function* (tenantId: string | null) {
    const chains = yield* GrantStore
    let end: KeptHead = { number: 0, hash: "" }
    for (let more = true; more;) {
      const page: ReadonlyArray<Grant> = yield* chains.after(
        tenantId === null ? null : TenantId(tenantId),
        end.number,
        grantsPerRead
      )
      const last = page.at(-1)
      if (last !== undefined) end = { number: last.number, hash: yield* grantHash(last.document) }
      more = page.length === grantsPerRead
    }
    return end
  },
  (read, tenantId) =>
    Effect.flatMap(SigningView, ({ onPrimary }) =>
      onPrimary(Effect.catchDefect(read, () => Effect.fail(unreadable(chainName(tenantId)))))
    )
)

const readAuditEnd = Effect.gen(function* () {
  const [audit, seals] = [yield* OperatorAudit, yield* AuditSeals]
  const [record] = yield* audit.before(undefined, 1)
  return { seal: yield* seals.last, record }
})

/** The newest seal and the last record that the audit log has now. None of it was verified. */
export const auditEnd = Effect.flatMap(SigningView, ({ onPrimary }) =>
  onPrimary(Effect.catchDefect(readAuditEnd, () => Effect.fail(unreadable("the audit log"))))
)

/** What the audit log no longer has, at least one of the two. */
export interface LostAudit {
  /** The newest seal, where what it covers or the seals before it are gone. */
  readonly seal: AuditSeal | undefined
  /** The record with which a person has taken the log, where it is gone. */
  readonly record: RecordLeft | undefined
}

const auditGone = Effect.fnUntraced(function* ({ register }: SignerStore) {
  const [seal, record] = [register.auditSeal(), register.recordLeft()]
  const [audit, seals] = [yield* OperatorAudit, yield* AuditSeals]
  const stands = ({ hash, id }: RecordLeft) =>
    Effect.map(audit.after(id - 1, 1), ([found]) => found?.id === id && found.hash === hash)
  const isGone = <E, R>(what: string, whole: Effect.Effect<boolean, E, R>) => {
    const broken = Effect.annotateLogs(Effect.logError("audit.broken"), { reason: `${what} cannot be read` })
    return Effect.map(unlessUnreadable(whole, broken), (isWhole) => isWhole === false)
  }
  const sealIsWhole = Effect.fnUntraced(function* ({ hash, number, toId }: AuditSeal) {
    // the newest one may not have been stored yet
    return (yield* stands({ id: toId, hash })) && ((yield* seals.last)?.number ?? 0) >= number - 1
  })
  const isSealGone = seal && (yield* isGone(`record ${seal.toId} or the newest seal`, sealIsWhole(seal)))
  const isRecordGone = record && (yield* isGone(`record ${record.id}`, stands(record)))
  if (!isSealGone && !isRecordGone) return undefined
  const lost: LostAudit = { seal: isSealGone ? seal : undefined, record: isRecordGone ? record : undefined }
  return lost
})

/** What the audit log no longer has of what the store remembers of it, or the seals before its newest. */
export const lostAudit = (store: SignerStore) =>
  Effect.flatMap(SigningView, ({ onPrimary }) => onPrimary(auditGone(store)))

/** The name of a chain of grants; null is that of the fleet. */
export const chainName = (tenantId: string | null): string =>
  `the chain of ${tenantId === null ? "the fleet" : `tenant ${tenantId}`}`
