import { type AuditSeal, nextSeal, sealText } from "@bursar/core/audit/AuditSeal"
import { recordsAfter, unreadableRecord, walkChain } from "@bursar/core/checker/verifyChain"
import { lookThroughSeals, type MacVerdict } from "@bursar/core/checker/verifySeals"
import { AuditBroken, type AuditSealer } from "@bursar/core/port/AuditSealer"
import { AuditSeals } from "@bursar/core/port/AuditSeals"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { VaultError } from "@bursar/core/port/Vault"
import { logStorageError, type StorageError } from "@bursar/core/engine/StorageError"
import { Clock, Context, Effect, Redacted, Semaphore } from "effect"
import { createHmac, timingSafeEqual } from "node:crypto"
import { tellAudit } from "./metrics.ts"
import type { RecordLeft } from "./store/Entry.ts"
import type { SignerStore } from "./store/SignerStore.ts"

/** The keys of seals by the ids of the master keys that they follow from. New seals are made with the current one. */
export interface AuditKeys {
  readonly current: string
  readonly byId: ReadonlyMap<string, Redacted.Redacted<Uint8Array>>
}

/** What seals are made of. */
export interface AuditSealerOptions {
  readonly keys: AuditKeys
  /** It remembers the newest seal, whatever becomes of the database. */
  readonly store: SignerStore
}

/** The records that one seal covers at most. */
const recordsMax = 10_000

type Unsealed = Omit<AuditSeal, "mac">

const macUnder = (key: Redacted.Redacted<Uint8Array>, seal: Unsealed): Buffer =>
  createHmac("sha256", Redacted.value(key)).update(sealText(seal)).digest()

/** What the MAC of a seal is worth under some keys. */
export const judgeUnder =
  ({ byId }: AuditKeys) =>
  ({ mac, ...seal }: AuditSeal): MacVerdict => {
    const key = byId.get(seal.keyId)
    if (key === undefined) return "unknown key"
    const [right, given] = [macUnder(key, seal), Buffer.from(mac, "hex")]
    return right.length === given.length && timingSafeEqual(right, given) ? "right" : "wrong"
  }

const brokenBy = (...findings: ReadonlyArray<string>) => new AuditBroken({ findings })

const notAsTaken = ({ id }: RecordLeft): string =>
  `Records up to ${id} were cut off or rewritten since the log was taken as it was then.`

/**
 * The records that were added since a seal, each right: the last of them. Fails where the record of the seal, or the one that a person has taken for
 * the last, is not what it was.
 */
const headAfter = Effect.fnUntraced(function* (last: AuditSeal | undefined, left: RecordLeft | undefined) {
  const what = last === undefined ? "" : `seal ${last.number}, which the signer remembers,`
  let head: { readonly id: number; readonly hash: string } | undefined
  let wrong: string | null = null
  if (last !== undefined) {
    const [next] = yield* recordsAfter(last.toId - 1, 1)
    if (next === undefined) {
      const [any] = yield* Effect.catchDefect((yield* OperatorAudit).before(undefined, 1), () =>
        Effect.fail(brokenBy("The newest record cannot be read: it was changed."))
      )
      const end = any?.id ?? 0
      return yield* brokenBy(
        end === 0
          ? `The log was emptied: ${what} covers ${last.toId} records.`
          : `Records ${end + 1} to ${last.toId} were cut off: ${what} covers them.`
      )
    }
    const { number, row: record } = next
    if (record === undefined) return yield* brokenBy(unreadableRecord(number))
    if (record.id !== last.toId || record.hash !== last.hash)
      return yield* brokenBy(
        `Records up to ${last.toId} were rewritten, or others put among them: ${what} covers others.`
      )
  }
  yield* walkChain(last === undefined ? undefined : { id: last.toId, hash: last.hash }, (record, mistake) => {
    wrong = mistake ?? (left?.id === record.id && left.hash !== record.hash ? notAsTaken(left) : null)
    if (wrong !== null) return "stop"
    head = { id: record.id, hash: record.hash }
    return record.id - (last?.toId ?? 0) >= recordsMax ? "stop" : undefined
  })
  return wrong === null ? head : yield* brokenBy(wrong)
})

/** The signer's part in the log of operators' actions. It reads the database, and believes what it remembers. */
export const makeAuditSealer = Effect.fnUntraced(function* ({ keys, store }: AuditSealerOptions) {
  const ports = Context.pick(OperatorAudit, AuditSeals)(yield* Effect.context<AuditSeals | OperatorAudit>())
  const turn = yield* Semaphore.make(1)
  const judge = judgeUnder(keys)
  const key = keys.byId.get(keys.current)
  if (key === undefined) return yield* Effect.die(new Error("the current key is not among the keys"))
  let told: string | undefined

  const commit = (seal: AuditSeal) =>
    Effect.mapError(
      store.commit({ _tag: "AuditSealed", ...seal }),
      ({ reason }) => new VaultError({ doing: "seal the audit log", reason })
    )

  /** What is wrong with a log that a person has taken as it was, and that was not sealed to its end then. */
  const mistakesSinceTaken = Effect.gen(function* () {
    const left = store.register.recordLeft()
    if (left === undefined) return []
    const [next] = yield* recordsAfter(left.id - 1, 1)
    return next?.row?.id === left.id && next.row.hash === left.hash ? [] : [notAsTaken(left)]
  })

  /** Looks through all of the log, and gives the newest seal of it, once all is right. */
  const verified = Effect.gen(function* () {
    const remembered = store.register.auditSeal()
    const sinceTaken = yield* mistakesSinceTaken
    const { findings, last } = yield* lookThroughSeals({ judge, ...(remembered && { remembered }) })
    const all = [...sinceTaken, ...findings]
    return all.length === 0 ? last : yield* brokenBy(...all)
  })

  /** The newest seal: a store that was made anew takes over what its key has made, once all of it was verified. */
  const takenOver = Effect.gen(function* () {
    // the one that was looked at: another may be stored by now, which nobody has verified
    const last = yield* verified
    if (last !== undefined) yield* commit(last)
    return last
  })

  const newest = Effect.suspend(() => {
    const remembered = store.register.auditSeal()
    return remembered === undefined ? takenOver : Effect.succeed(remembered)
  })

  // to look through a long log takes longer than a seal may: what was right is taken over here, too, for else nothing would be sealed again
  const verify = Effect.suspend(() => (store.register.auditSeal() === undefined ? takenOver : verified))

  const seal = Effect.fn("AuditSealer.seal")(function* (after: number) {
    const last = yield* newest
    // made with another key of that id, or written by somebody into the store: nothing right follows on it
    if (last !== undefined && judge(last) === "wrong")
      return yield* brokenBy(`Seal ${last.number} was not made with the signer's key.`)
    const made = last?.number ?? 0
    const newestStored = yield* Effect.catchDefect((yield* AuditSeals).last, () =>
      Effect.fail(brokenBy("The newest seal cannot be read: it was changed."))
    )
    const stored = newestStored?.number ?? 0
    if (stored > made) return yield* brokenBy(`Seal ${stored} was put in: the signer has made ${made}.`)
    if (stored < made - 1)
      return yield* brokenBy(`Seals ${stored + 1} to ${made} were taken out: the signer has made them.`)
    if (stored === made && newestStored?.mac !== last?.mac)
      return yield* brokenBy(`Seal ${made} was replaced: the signer has made another.`)
    const sinceTaken = yield* mistakesSinceTaken
    if (sinceTaken.length > 0) return yield* brokenBy(...sinceTaken)
    const head = yield* headAfter(last, store.register.recordLeft())
    // none is made before the last one is stored, whatever a caller says: what only the signer has would look as if it was taken out
    if (last !== undefined && stored < made) return after < made ? last : null
    if (head === undefined) return null
    const unsealed = yield* nextSeal(last, head, { at: yield* Clock.currentTimeMillis, keyId: keys.current })
    const sealed: AuditSeal = { ...unsealed, mac: macUnder(key, unsealed).toString("hex") }
    yield* commit(sealed)
    return sealed
  })

  /** Whoever looks after the signer is told once, and again when it is something else. */
  const alarm = ({ message }: AuditBroken) =>
    Effect.suspend(() => {
      if (told === message) return Effect.void
      told = message
      const log = Effect.annotateLogs(Effect.logError("audit.broken"), { reason: message })
      return Effect.andThen(log, tellAudit(true))
    })

  const ofStorage = (error: StorageError) =>
    Effect.andThen(
      logStorageError(error),
      Effect.fail(new VaultError({ doing: error.doing, reason: "the signer's database does not answer" }))
    )

  const guarded = <A>(effect: Effect.Effect<A, AuditBroken | StorageError | VaultError, AuditSeals | OperatorAudit>) =>
    effect.pipe(
      Effect.catchTag("StorageError", ofStorage),
      Effect.tapErrorTag("AuditBroken", alarm),
      turn.withPermit,
      Effect.provideContext(ports)
    )

  const well = Effect.andThen(
    Effect.sync(() => {
      told = undefined
    }),
    tellAudit(false)
  )

  return {
    seal: (after) => guarded(seal(after)),
    verify: guarded(
      Effect.map(
        Effect.tap(verify, () => well),
        (last) => last ?? null
      )
    )
  } satisfies AuditSealer["Service"]
})
