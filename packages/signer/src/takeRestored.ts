import type { StorageError } from "@bursar/core/engine/StorageError"
import type { GrantStore } from "@bursar/core/grant/GrantStore"
import type { AuditSeals } from "@bursar/core/port/AuditSeals"
import type { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import type { SigningView, TenantProgress } from "@bursar/core/port/SigningView"
import { toIso } from "@bursar/core/base/Timestamp"
import { Clock, Effect } from "effect"
import { sha256 } from "./askedOf.ts"
import type { LackTold } from "./store/Entry.ts"
import type { KeptHead, RollbackSeen } from "./store/Register.ts"
import type { SignerStore } from "./store/SignerStore.ts"
import type { StoreUnusable } from "./store/StoreUnusable.ts"
import {
  auditEnd,
  chainEnd,
  chainName,
  chainsCut,
  isBehind,
  lostAudit,
  type LostAudit,
  tenantsBehind
} from "./whatIsLost.ts"

const counted = ({ changeSeq, eventId, postingSeq }: TenantProgress): string =>
  `change ${changeSeq}, event ${eventId} and posting ${postingSeq}`

const withHash = (what: string, { hash, number }: KeptHead): string => `${what} ${number} with the hash ${hash}`

const cutAs = (tenantId: string | null, head: KeptHead, end: KeptHead): string =>
  `${chainName(tenantId)} had ${withHash("grant", head)}, and ${end.number === 0 ? "has none now" : `ends now at ${withHash("grant", end)}`}`

const logLost = ({ record, seal }: LostAudit): string =>
  [
    ...(seal
      ? [`seal ${seal.number} of the audit log, over records up to ${seal.toId}, the last with the hash ${seal.hash}`]
      : []),
    ...(record ? [`record ${record.id} of the audit log, with the hash ${record.hash}`] : [])
  ].join(", and ")

const logLeft = ({ record, seal }: Effect.Success<typeof auditEnd>): string => {
  const newest = seal === undefined ? "no seal" : `seal ${seal.number}, over records up to ${seal.toId}`
  return `the newest that is left: ${newest}, and ${record === undefined ? "no record" : withHash("record", { number: record.id, hash: record.hash })}`
}

/** Counters pass what was seen of them by and by: that nothing is behind any more does not show that nothing is lost. */
const noticed = ({ at, what }: RollbackSeen): string =>
  `at ${toIso(at)} the signer noticed that ${what}: what had come before may still be missing, even where the counters have passed it since`

/** What the database lacks of what the signer has seen, and a rollback that it noticed. */
export interface TakenRestored {
  /** Each in words. */
  readonly lost: ReadonlyArray<string>
  /** What names these things as they are said and no others: how many they are, and a digest. */
  readonly name: string
  /** Whether that was given up. */
  readonly isTaken: boolean
}

/** A thing that is lost: what is said of it, and what it is, which does not change as a tenant comes further again. */
interface Lost {
  readonly said: string
  readonly id: string
}

/** Of so many, nobody finds another list with the same name. */
const nameDigits = 32

const digestOf = (all: ReadonlyArray<string>): string => sha256(JSON.stringify(all.toSorted()))

/** Whether tenants are at least as far as a person was told. */
const areAsTold = (told: LackTold["tenants"], now: LackTold["tenants"]): boolean => {
  const before = new Map(told.map((one) => [one.tenantId, one.now]))
  return now.every((one) => {
    const then = before.get(one.tenantId)
    return then !== undefined && (then === null || !isBehind(one.now ?? undefined, then))
  })
}

/**
 * Takes a database that was restored as it is, by a person's word, which names what it gives up, as the person was told last: where it lacks anything else, or less, or a chain or the audit log ends elsewhere, or a tenant
 * is less far than was told, nothing is changed, and it is told anew. Whoever writes to the database can change what it lacks, but not have other things given up than the person has read. A rollback that was noticed is one thing more. Counters, chains of grants and the audit log then go on from where they stood as they were listed, and not from before, and the signer signs again. It forgets no request that it has
 * signed for, so nothing is signed twice, and nothing that limits count.
 */
export const takeRestored = Effect.fn("takeRestored")(function* (
  store: SignerStore,
  givingUp?: string
): Effect.fn.Return<
  TakenRestored,
  StorageError | StoreUnusable,
  AuditSeals | GrantStore | OperatorAudit | SigningView
> {
  const tenants = yield* tenantsBehind(store)
  const cut = yield* Effect.forEach(yield* chainsCut(store), (one) =>
    Effect.map(chainEnd(one.tenantId), (end) => ({ ...one, end }))
  )
  const log = yield* lostAudit(store)
  const left = log && (yield* auditEnd)
  const rollback = store.register.rolledBack()
  const as = (said: string): Lost => ({ said, id: said })
  const all: ReadonlyArray<Lost> = [
    ...tenants.map(({ now, seen, tenantId }) => {
      const id = `tenant ${tenantId} had come to ${counted(seen)}, and is ${now === null ? "gone" : "at "}`
      return { id, said: now === null ? id : `${id}${counted(now)}` }
    }),
    ...cut.map(({ end, head, tenantId }) => as(cutAs(tenantId, head, end))),
    ...(log && left ? [as(`${logLost(log)}; ${logLeft(left)}`)] : []),
    ...(rollback === undefined ? [] : [as(noticed(rollback))])
  ]
  const lost = all.map(({ said }) => said)
  const name = `${all.length}-${digestOf(lost).slice(0, nameDigits)}`
  const things = digestOf(all.map(({ id }) => id))
  const behind = tenants.map(({ now, tenantId }) => ({ tenantId, now }))
  const told = store.register.lackTold()
  const isTold = told?.name === givingUp && told?.things === things && areAsTold(told.tenants, behind)
  if (lost.length === 0 ? givingUp !== undefined : !isTold) {
    if (lost.length > 0 && told?.name !== name)
      yield* store.commit({ _tag: "LackTold", at: yield* Clock.currentTimeMillis, name, things, tenants: behind })
    return { lost, name, isTaken: false }
  }
  yield* store.commit({
    _tag: "Restored",
    at: yield* Clock.currentTimeMillis,
    progress: behind,
    chains: cut.map(({ tenantId }) => tenantId),
    ends: cut.flatMap(({ end, tenantId }) => (end.number === 0 ? [] : { tenantId, ...end })),
    sealLost: log !== undefined,
    ...(left?.record && { recordLeft: { id: left.record.id, hash: left.record.hash } })
  })
  // what was seen before is taken for given up, and most of it was not
  yield* store.see([])
  for (const detail of lost) yield* Effect.annotateLogs(Effect.logWarning("signer.gave_up"), { detail })
  yield* Effect.annotateLogs(Effect.logInfo("signer.restored"), { given_up: lost.length })
  return { lost, name, isTaken: true }
})
