import { Clock, Effect, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import { toIso } from "@bursar/core/base/Timestamp"
import type { StorageError } from "@bursar/core/engine/StorageError"
import type { SigningView, StoredSignature } from "@bursar/core/port/SigningView"
import type { Entry, Opened, Signed } from "./Entry.ts"
import { adoptSigned } from "./adoptSigned.ts"
import { makeRegister, type Register, type Remembered } from "./Register.ts"
import { openSeen, type See } from "./seenFile.ts"
import { directoryDisk, type SignerDisk } from "./SignerDisk.ts"
import { openLog, peekEntries, type Placed, showsGrants, type SignerLog } from "./SignerLog.ts"
import { silentDatabase, StoreUnusable } from "./StoreUnusable.ts"

/** Where a store is, and what an operator says about it. */
export interface SignerStoreOptions {
  /** A directory of its own, which nobody else may write; or whatever else keeps a file. */
  readonly directory: string | SignerDisk
  /**
   * An operator's word about signatures that the store knows nothing of. `recover`: an earlier store is lost; a new one begins, and refuses
   * every request that was made before. `adopt`: there was none, and the database is believed, this once, about what was signed.
   */
  readonly word?: StoreWord
  /**
   * An operator's word to a recovery: the clock of this host is right, and what the database has as signed later than that, until this moment, says a time
   * that is wrong.
   */
  readonly wrongUntil?: number
  /** An operator's word to a recovery: the store of this id, which began by a recovery itself and can be read, is to be given up as well. */
  readonly givingUp?: string
  /** Whether a new store may begin, asked before anything is put aside; told whether the one that it takes the place of went by grants. */
  readonly mayBegin?: (wentByGrants: boolean) => Effect.Effect<void, StoreUnusable>
}

/** What operators can say of a store that is empty while the database has signatures. */
export type StoreWord = "recover" | "adopt"

/** What can be remembered once a store has begun. */
export type Remember = Exclude<Entry, { readonly _tag: "Ahead" | "Opened" }>

/** What the signer remembers, on the disk. */
export interface SignerStore {
  readonly register: Register
  /** Remembers a signature, and ends when it is on the disk. */
  readonly commit: (entry: Remember) => Effect.Effect<void, StoreUnusable>
  /** The same, unless there is an objection, which is then what it succeeds with. Nothing is remembered between asking for it and the entry. */
  readonly commitUnless: <O>(
    objection: () => O | undefined,
    entry: Remember
  ) => Effect.Effect<O | undefined, StoreUnusable>
  readonly see: See
  /** Why this store is an old copy, by what the database has as signed, unless somebody wrote that; undefined where nothing shows it. */
  readonly whyOld: Effect.Effect<StoreUnusable | undefined, StorageError>
  /** Ends the store for a reason: nothing is remembered any more, and so nothing signed. */
  readonly stop: SignerLog["stop"]
  /** Fails with the reason once nothing can be remembered any more: by `stop`, a disk that cannot be written, or another signer that took the store. */
  readonly stopped: SignerLog["stopped"]
  /** A signature with its bytes. */
  readonly recall: (remembered: Remembered) => Effect.Effect<Signed, StoreUnusable>
}

/** How many signatures of the database are compared at the start, beside those that say a time to come or were there when the store began. */
const comparedMax = 1_000

/**
 * The newest signatures, `comparedMax` of them to be compared: a wrong clock may have left any number that say a time to come, and when that has passed,
 * they still stand before all that was signed since. A standby may lack the newest.
 */
const readNewest = (
  view: SigningView["Service"],
  isCompared: (one: StoredSignature) => boolean,
  limit = comparedMax
): Effect.Effect<ReadonlyArray<StoredSignature>, StorageError> =>
  Effect.flatMap(view.onPrimary(view.newestSignatures(limit)), (newest) =>
    newest.length < limit || newest.filter(isCompared).length >= comparedMax
      ? Effect.succeed(newest)
      : readNewest(view, isCompared, limit * 2)
  )

const unlessSilent = <A>(read: Effect.Effect<A, StorageError>) => Effect.mapError(read, () => silentDatabase)

/** How many signatures that say a time to come go into one entry: all of them might be more than one takes. */
const aheadAtOnce = 1_000

/** How far the clock of the service, which told when something was signed, may be ahead of this host's. */
const aheadMaxMs = 60_000

/** By a clock that is behind, requests that were signed for would seem to be made after a recovery, and would be signed for again. */
const clockObjection = (
  newest: ReadonlyArray<StoredSignature>,
  at: number,
  wrongUntil: number
): StoreUnusable | undefined => {
  const later = newest.find(({ signedAt }) => signedAt > Math.max(at + aheadMaxMs, wrongUntil))
  return (
    later &&
    new StoreUnusable({
      reason: `the clock of this host says ${toIso(at)}, and the database has ${later.hash} on ${later.network} as signed at ${toIso(later.signedAt)}. Set the clock right and recover again; if it is right, find out who wrote that time, and see "bursar sign --wrong-until".`
    })
  )
}

/** The first entries of a new store; gives the one with which it has begun. A database that has signatures already had an earlier one. */
const begin = Effect.fnUntraced(function* (
  log: SignerLog,
  register: Register,
  { mayBegin, wentByGrants, word }: SignerStoreOptions & { readonly wentByGrants: boolean },
  view: SigningView["Service"],
  newest: ReadonlyArray<StoredSignature>
) {
  // a recovery was asked before the old file was put aside
  if (mayBegin !== undefined && word !== "recover") yield* mayBegin(register.wentByGrants())
  if (newest.length > 0 && word === undefined) {
    return yield* new StoreUnusable({
      reason:
        'the store is empty, but the database has transactions that were signed. If the store is lost, see "bursar sign --recover"; if a version before had none, "bursar sign --adopt".'
    })
  }
  const at = yield* Clock.currentTimeMillis
  const add = (entry: Entry) => {
    register.add(entry, log.nextOffset())
    return log.append(entry)
  }
  // first: the file that said so is put aside
  if (wentByGrants) yield* add({ _tag: "GrantsFollowed", at })
  if (word === "adopt") yield* adoptSigned(view, add)
  // of what an earlier store has seen nothing is known: all that stands on chains of grants is new
  if (word === "recover") yield* add({ _tag: "GrantsWatched", at })
  const later = newest.filter(({ signedAt }) => signedAt > at)
  // nothing that was signed for was asked for later than this; what is further ahead says a wrong time, by an operator's word
  const last = later.reduce(
    (latest, { signedAt }) => (signedAt <= at + aheadMaxMs ? Math.max(latest, signedAt) : latest),
    at
  )
  for (let from = 0; from < later.length; from += aheadAtOnce) {
    const some = later.slice(from, from + aheadAtOnce)
    yield* add({ _tag: "Ahead", signatures: some.map(({ hash, network }) => ({ network, hash })) })
  }
  const requestsFrom = word === "recover" ? last : 0
  const newestAt = newest.reduce((latest, { signedAt }) => (signedAt <= at ? Math.max(latest, signedAt) : latest), 0)
  const opened: Opened = {
    _tag: "Opened",
    id: randomUUID(),
    at,
    requestsFrom,
    ...(word !== "recover" && { newestAt })
  }
  // last, so that what broke off before is not taken for a store
  yield* add(opened)
  return opened
})

/**
 * What the database has as signed later than this shows that the store is old, where the store does not know it. The clock may have been ahead when the store
 * began: without `newestAt`, the first request that was signed for says that it was.
 */
const comparedSince = ({ at, newestAt, requestsFrom }: Opened, own: ReadonlyArray<Placed>): number => {
  if (newestAt !== undefined) return newestAt
  if (requestsFrom > 0) return at
  const first = own.find(({ entry }) => entry._tag === "Signed" && entry.requests.length > 0)?.entry
  return first?._tag === "Signed" ? Math.min(at, first.at) : at
}

/** What the entries of a file come to: a register, and the store that has begun there, if one has. */
const begunStore = (entries: ReadonlyArray<Placed>) => {
  const register = makeRegister()
  for (const { entry, offset } of entries) register.add(entry, offset)
  const [opened] = entries.flatMap(({ entry }) => (entry._tag === "Opened" ? entry : []))
  const own = entries.slice(entries.findIndex(({ entry }) => entry === opened) + 1)
  return { register, earlier: opened && { ...opened, since: comparedSince(opened, own) } }
}

/** Why a store is an old copy, by what the database has as signed later than a moment. */
const oldBy = (
  register: Register,
  newest: ReadonlyArray<StoredSignature>,
  since: number
): StoreUnusable | undefined => {
  const unknown = newest.find(
    ({ hash, network, signedAt }) =>
      signedAt > since && !register.knows(network, hash) && !register.wasAhead(network, hash)
  )
  if (unknown === undefined) return undefined
  const { hash, network } = unknown
  const before =
    since === 0
      ? ""
      : ` The store need not know what was signed until ${toIso(since)}: if your node has it in a block by then, or a backup from then has the row, put the earlier signed_at back and do not recover.`
  return new StoreUnusable({
    reason: `the store is older than the database, which has ${hash} on ${network} as signed; or somebody has written that row of transaction_attempt, or changed its signed_at. Find out by its bytes who signed it, and when.${before} If no signer with these keys has, delete the row and do not recover; otherwise restore the newest store, or see "bursar sign --recover".`
  })
}

/**
 * A start that still says so would recover again: what was asked for since the recovery would be refused for good, and each limit counted anew. So a store that
 * can be read is kept, and an operator who knows better names it. That the database shows it as old is no reason to go on: whoever can write one row makes it
 * say so, as often as the signer is started.
 */
const againObjection = (
  { earlier, register }: ReturnType<typeof begunStore>,
  newest: ReadonlyArray<StoredSignature>,
  givingUp: string | undefined
): StoreUnusable | undefined => {
  if (earlier === undefined || earlier.requestsFrom === 0 || earlier.id === givingUp) return undefined
  const old = oldBy(register, newest, earlier.since)
  const giveUp = `say --recover --giving-up ${earlier.id}`
  return new StoreUnusable({
    reason:
      old === undefined
        ? `the store began by --recover at ${toIso(earlier.at)}, and is whole: start the signer without --recover. If this store is to be given up as well, such as one from a backup, ${giveUp}`
        : `${old.reason} This store began by --recover at ${toIso(earlier.at)}: if it is to be given up as well, ${giveUp}`
  })
}

/**
 * Opens the store of a signer and compares it with the database: a database that has newer signatures than the store shows that the store
 * is an old copy, or that somebody has written rows: a person tells the two apart. Fails with the reason; then nothing may be signed.
 */
export const openStore = Effect.fn("SignerStore.open")(function* (
  options: SignerStoreOptions,
  view: SigningView["Service"]
): Effect.fn.Return<SignerStore, StoreUnusable, Scope.Scope> {
  const at = yield* Clock.currentTimeMillis
  const disk = typeof options.directory === "string" ? directoryDisk(options.directory) : options.directory
  const hasCome = ({ signedAt }: StoredSignature) => signedAt <= at
  // a recovery begins with what was read before the old file is put aside
  const read = options.word === "recover" ? yield* unlessSilent(readNewest(view, hasCome)) : undefined
  const behind = read && clockObjection(read, at, options.wrongUntil ?? 0)
  if (behind !== undefined) return yield* behind
  let wentByGrants = false
  const prepare = Effect.gen(function* () {
    if (read === undefined) return
    wentByGrants = yield* showsGrants(disk)
    if (options.mayBegin !== undefined) yield* options.mayBegin(wentByGrants)
    const again = againObjection(begunStore(yield* peekEntries(disk)), read, options.givingUp)
    if (again !== undefined) return yield* again
    disk.setAside(at)
  })
  // the entries are let go of: the log goes on for as long as the process
  const { entries, ...log } = yield* openLog(disk, prepare)
  const { earlier, register } = begunStore(entries)
  const readCompared = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    readNewest(view, (one) => one.signedAt <= now && !register.wasAhead(one.network, one.hash))
  )
  const newest = read ?? (yield* unlessSilent(readCompared))
  const old = earlier && oldBy(register, newest, earlier.since)
  if (old !== undefined) return yield* old
  const begins = begin(log, register, { ...options, wentByGrants }, view, newest)
  const { id, since } =
    earlier ?? (yield* Effect.map(begins, (first) => ({ id: first.id, since: comparedSince(first, []) })))
  const see = yield* openSeen(disk, id, register)
  const commitUnless: SignerStore["commitUnless"] = (objection, entry) =>
    Effect.suspend(() => {
      const objected = objection()
      if (objected !== undefined) return Effect.succeed(objected)
      register.add(entry, log.nextOffset())
      return Effect.as(log.append(entry), undefined)
    }).pipe(Effect.uninterruptible)
  return {
    register,
    see,
    whyOld: Effect.map(readCompared, (signatures) => oldBy(register, signatures, since)),
    stop: log.stop,
    stopped: log.stopped,
    commitUnless,
    commit: (entry) => Effect.asVoid(commitUnless(() => undefined, entry)),
    recall: Effect.fnUntraced(function* ({ hash, offset }) {
      yield* log.synced
      const entry = yield* log.read(offset)
      return entry._tag === "Signed" && entry.hash === hash
        ? entry
        : yield* new StoreUnusable({ reason: `the store has something else where ${hash} was.` })
    })
  }
})
