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

/** What the audit log no longer has: what its newest seal covers, or the record with which a person has taken it. */
export interface LostAudit {
  /** Undefined where nothing was sealed since the log was taken. */
  readonly seal: AuditSeal | undefined
  readonly record: RecordLeft
}

const auditGone = Effect.fnUntraced(function* ({ register }: SignerStore) {
  const seal = register.auditSeal()
  const kept = seal === undefined ? register.recordLeft() : { id: seal.toId, hash: seal.hash }
  if (kept === undefined) return undefined
  const [audit, seals] = [yield* OperatorAudit, yield* AuditSeals]
  const isWhole = Effect.gen(function* () {
    const [record] = yield* audit.after(kept.id - 1, 1)
    const last = yield* seals.last
    // the newest one may not have been stored yet
    const made = (seal?.number ?? 0) - 1
    return record?.id === kept.id && record.hash === kept.hash && (last?.number ?? 0) >= made
  })
  const broken = Effect.annotateLogs(Effect.logError("audit.broken"), {
    reason: `record ${kept.id} or the newest seal cannot be read`
  })
  const lost: LostAudit = { seal, record: kept }
  return (yield* unlessUnreadable(isWhole, broken)) === false ? lost : undefined
})

/** What the audit log no longer has of what the store remembers of it, or the seals before its newest. */
export const lostAudit = (store: SignerStore) =>
  Effect.flatMap(SigningView, ({ onPrimary }) => onPrimary(auditGone(store)))

/** The name of a chain of grants; null is that of the fleet. */
export const chainName = (tenantId: string | null): string =>
  `the chain of ${tenantId === null ? "the fleet" : `tenant ${tenantId}`}`
