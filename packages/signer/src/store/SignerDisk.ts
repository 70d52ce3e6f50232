import { Effect, type Scope } from "effect"
import { constants, existsSync, renameSync } from "node:fs"
import { mkdir, open, readFile, rename } from "node:fs/promises"
import { join } from "node:path"
import { type Lock, lockStore } from "./lockStore.ts"
import { StoreUnusable } from "./StoreUnusable.ts"

/** The file of a store's entries, in its directory. */
export const logFile = "signed.log"

/** The small file beside it. */
export const seenFile = "seen.json"

const lockFile = "lock"

/** An open file. What is written is on the disk only after it was synced. */
export interface DiskFile {
  readonly readAll: Effect.Effect<Buffer, StoreUnusable>
  /** Fills the bytes with what stands in the file from a place on. */
  readonly read: (bytes: Buffer, at: number) => Effect.Effect<unknown, StoreUnusable>
  /** Succeeds with how many of the bytes the disk took. */
  readonly write: (bytes: Buffer, at: number) => Effect.Effect<number, StoreUnusable>
  readonly truncate: (length: number) => Effect.Effect<unknown, StoreUnusable>
  /** Ends when all that was written is on the disk. */
  readonly datasync: Effect.Effect<unknown, StoreUnusable>
  /** The same, with all that the disk knows of the file, its name included. */
  readonly sync: Effect.Effect<unknown, StoreUnusable>
}

/** Where a signer keeps its store: one file that one process holds, and a small one beside it. */
export interface SignerDisk {
  /** What it is called in messages. */
  readonly name: string
  /** Holds it for this process alone, until the scope closes. */
  readonly hold: Effect.Effect<Lock, StoreUnusable, Scope.Scope>
  /** Puts the files that are there under other names, which a moment tells from others. */
  readonly setAside: (at: number) => void
  /** Opens the file, and makes it where it is missing. */
  readonly open: Effect.Effect<DiskFile, StoreUnusable, Scope.Scope>
  /** What stands in the small file; undefined where there is none. */
  readonly readBeside: Effect.Effect<string | undefined, StoreUnusable>
  /** Has something else stand there: all of it or, where this breaks off, what stood there before. It is on the disk when this ends. */
  readonly replaceBeside: (text: string) => Effect.Effect<void, StoreUnusable>
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const trying = <A>(doing: string, use: () => Promise<A>): Effect.Effect<A, StoreUnusable> =>
  Effect.tryPromise({
    try: use,
    catch: (error) => new StoreUnusable({ reason: `the store cannot ${doing} (${reasonOf(error)}).` })
  })

const opening = (path: string, flags: number) =>
  Effect.acquireRelease(
    trying("be opened", () => open(path, flags, 0o600)),
    (handle) => Effect.promise(() => handle.close())
  )

/** The name of a file is on the disk when its directory is. */
const syncDirectory = (directory: string) =>
  Effect.scoped(
    Effect.flatMap(opening(directory, constants.O_RDONLY), (handle) => trying("be written", () => handle.sync()))
  )

const openFile = Effect.fnUntraced(function* (directory: string) {
  const file = yield* opening(join(directory, logFile), constants.O_RDWR | constants.O_CREAT)
  return {
    readAll: trying("be read", () => file.readFile()),
    read: (bytes, at) => trying("be read", () => file.read(bytes, 0, bytes.length, at)),
    write: (bytes, at) =>
      Effect.map(
        trying("be written", () => file.write(bytes, 0, bytes.length, at)),
        ({ bytesWritten }) => bytesWritten
      ),
    truncate: (length) => trying("be written", () => file.truncate(length)),
    datasync: trying("be written", () => file.datasync()),
    sync: Effect.andThen(
      trying("be written", () => file.sync()),
      syncDirectory(directory)
    )
  } satisfies DiskFile
})

/** A file is never half new: it is written beside, and takes the name when all of it is on the disk. */
const replace = (directory: string, name: string, text: string) => {
  const path = join(directory, name)
  const write = Effect.gen(function* () {
    const file = yield* opening(`${path}.new`, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC)
    yield* trying("be written", () => file.writeFile(text))
    yield* trying("be written", () => file.sync())
  })
  return Effect.scoped(write).pipe(
    Effect.andThen(trying("be written", () => rename(`${path}.new`, path))),
    Effect.andThen(syncDirectory(directory))
  )
}

/** A directory of its own, which nobody else may write. The system lets go of it when the process dies, however that ends. */
export const directoryDisk = (directory: string): SignerDisk => {
  const path = join(directory, logFile)
  const beside = join(directory, seenFile)
  return {
    name: path,
    hold: Effect.andThen(
      trying("make its directory", () => mkdir(directory, { recursive: true, mode: 0o700 })),
      lockStore(join(directory, lockFile))
    ),
    setAside: (at) => {
      for (const name of [path, beside]) if (existsSync(name)) renameSync(name, `${name}.${at}`)
    },
    open: openFile(directory),
    readBeside: trying("be read", async () => (existsSync(beside) ? await readFile(beside, "utf8") : undefined)),
    replaceBeside: (text) => replace(directory, seenFile, text)
  }
}
