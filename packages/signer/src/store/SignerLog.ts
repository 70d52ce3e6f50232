import { Deferred, Effect, type Scope, Semaphore } from "effect"
import { tellStopped } from "../metrics.ts"
import { decodeEntry, encodeEntry, type Entry } from "./Entry.ts"
import { frame, type Framed, lengthOf, magic, payloadAt, payloadMax, readFrames } from "./frames.ts"
import type { Lock } from "./lockStore.ts"
import type { DiskFile, SignerDisk } from "./SignerDisk.ts"
import { StoreUnusable } from "./StoreUnusable.ts"

/** An entry with its place in the file. */
export interface Placed {
  readonly entry: Entry
  readonly offset: number
}

/** The file of a store, open and held by this process alone. */
export interface SignerLog {
  /** Where the next entry that is appended will stand. */
  readonly nextOffset: () => number
  /**
   * Gives the entry its place at once, before the effect runs: nobody comes between `nextOffset` and this. The effect ends when the entry is on
   * the disk. What cannot be written is the end of the log: nothing is appended after it.
   */
  readonly append: (entry: Entry) => Effect.Effect<void, StoreUnusable>
  /** Ends when all that was appended before is on the disk. */
  readonly synced: Effect.Effect<void, StoreUnusable>
  /** Ends the log for a reason, as a disk that cannot be written does: nothing is appended any more. Only the first reason counts. */
  readonly stop: (why: StoreUnusable) => Effect.Effect<void>
  /** Fails with the reason once the log has ended. */
  readonly stopped: Effect.Effect<never, StoreUnusable>
  /** An entry that is on the disk. */
  readonly read: (offset: number) => Effect.Effect<Entry, StoreUnusable>
}

/** A log with what it held when it was opened, oldest first: all that was ever signed, so nobody keeps it for long. */
export interface OpenedLog extends SignerLog {
  readonly entries: ReadonlyArray<Placed>
}

const taken = new StoreUnusable({ reason: "another signer has taken this store. Restart the one that is to go on." })

/** It could be written, but the store never be read again. */
const tooLong = new StoreUnusable({ reason: `an entry is too long: the store takes ${payloadMax} bytes of each.` })

/** Writes all of some bytes: a disk that is full may take a part and say no more than that. */
const writeWhole = (file: DiskFile, bytes: Buffer, at: number): Effect.Effect<void, StoreUnusable> =>
  Effect.flatMap(file.write(bytes, at), (bytesWritten) =>
    bytesWritten === bytes.length
      ? Effect.void
      : Effect.fail(new StoreUnusable({ reason: "the store cannot be written (the disk took a part)." }))
  )

/** Appends in order; what waits while the disk is busy goes to it together. */
const makeAppender = Effect.fnUntraced(function* (
  file: DiskFile,
  { lock, start }: { readonly lock: Lock; readonly start: { readonly end: number; readonly chain: Buffer } }
) {
  const turn = yield* Semaphore.make(1)
  let [end, written, chain] = [start.end, start.end, start.chain]
  let waiting: Array<Buffer> = []
  let broken: StoreUnusable | undefined
  const ended = yield* Deferred.make<never, StoreUnusable>()
  let isTold = false

  /** Tells once that nothing is appended any more. */
  const fail = (why: StoreUnusable) =>
    Effect.suspend(() => {
      broken ??= why
      if (isTold) return Effect.void
      isTold = true
      return Effect.andThen(tellStopped(broken.reason), Deferred.fail(ended, broken))
    })

  const flush = Effect.suspend(() => {
    if (waiting.length > 0 && !lock.isHeld()) broken ??= taken
    if (broken !== undefined) return Effect.andThen(fail(broken), Effect.fail(broken))
    const bytes = Buffer.concat(waiting)
    waiting = []
    if (bytes.length === 0) return Effect.void
    return writeWhole(file, bytes, written).pipe(
      Effect.andThen(file.datasync),
      Effect.tapError(fail),
      Effect.andThen(
        Effect.sync(() => {
          written += bytes.length
        })
      )
    )
  })
  const synced = Effect.uninterruptible(turn.withPermit(flush))
  return {
    nextOffset: () => end,
    synced,
    stop: (why: StoreUnusable) => Effect.asVoid(fail(why)),
    stopped: Deferred.await(ended),
    append: (entry: Entry) => {
      const payload = Buffer.from(encodeEntry(entry))
      if (payload.length > payloadMax) broken ??= tooLong
      else {
        const framed = frame(chain, payload)
        chain = framed.chain
        end += framed.bytes.length
        waiting.push(framed.bytes)
      }
      return synced
    }
  }
})

const readAt = Effect.fnUntraced(function* (file: DiskFile, offset: number) {
  const head = Buffer.alloc(payloadAt(0))
  yield* file.read(head, offset)
  const payload = Buffer.alloc(lengthOf(head))
  yield* file.read(payload, payloadAt(offset))
  return decodeEntry(payload.toString("utf8"))
})

const placedOf = ({ offset, payload }: Framed): Placed => ({ entry: decodeEntry(payload.toString("utf8")), offset })

/** Opens the file, writes its beginning where it is new, and cuts off what a crash left unfinished. */
const openFile = Effect.fnUntraced(function* (disk: SignerDisk) {
  const file = yield* disk.open
  const { chain, end, fault, frames } = readFrames(yield* file.readAll)
  if (fault !== undefined) {
    return yield* new StoreUnusable({
      reason: `the store ${disk.name} was damaged: ${fault}. Restore it from a copy of its newest state, or see "bursar sign --recover".`
    })
  }
  yield* file.truncate(end)
  // where its beginning is not whole, nothing may ever stand behind it
  if (end < magic.length) yield* writeWhole(file, magic, 0)
  yield* file.sync
  return { file, entries: frames.map(placedOf), end: Math.max(end, magic.length), chain }
})

/** Whether a file that is held shows that its signer went by grants. It is only read, and as far as it is whole: it may be lost or damaged. */
export const showsGrants = (disk: SignerDisk): Effect.Effect<boolean> =>
  Effect.scoped(Effect.flatMap(disk.open, ({ readAll }) => readAll)).pipe(
    Effect.flatMap((bytes) =>
      Effect.try(() =>
        readFrames(bytes).frames.some(({ payload }) => {
          const { _tag } = decodeEntry(payload.toString("utf8"))
          return _tag === "GrantsFollowed" || _tag === "GrantHead"
        })
      )
    ),
    Effect.orElseSucceed(() => false)
  )

/** What stands in a file that is held and whole; nothing in one that is lost or damaged. It is only read. */
export const peekEntries = (disk: SignerDisk): Effect.Effect<ReadonlyArray<Placed>> =>
  Effect.scoped(Effect.flatMap(disk.open, ({ readAll }) => readAll)).pipe(
    Effect.flatMap((bytes) =>
      Effect.try(() => {
        const { fault, frames } = readFrames(bytes)
        return fault === undefined ? frames.map(placedOf) : []
      })
    ),
    Effect.orElseSucceed(() => [])
  )

/**
 * Opens the log of a disk, for this process alone. `prepare` runs before the file is looked at, when nobody else can have it open.
 *
 * **Details**
 *
 * Each entry has its length and a checksum over itself and everything before it, and is on the disk before `append` ends. What a crash
 * left unfinished at the end is cut off: its signature was given to nobody. Anything else that does not fit fails with the reason.
 */
export const openLog = Effect.fn("SignerLog.open")(function* (
  disk: SignerDisk,
  prepare: Effect.Effect<void, StoreUnusable> = Effect.void
): Effect.fn.Return<OpenedLog, StoreUnusable, Scope.Scope> {
  const lock = yield* disk.hold
  yield* prepare
  const { chain, end, entries, file } = yield* openFile(disk)
  const appender = yield* makeAppender(file, { lock, start: { end, chain } })
  return { entries, ...appender, read: (offset) => readAt(file, offset) }
})
