import { StorageError } from "@bursar/core/engine/StorageError"
import type { GrantHeads } from "@bursar/core/grant/GrantHeads"
import { Clock, Effect, Option, Schema, Semaphore } from "effect"
import { randomUUID } from "node:crypto"
import { type FileHandle, open, readdir, readFile, rename, rm, stat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { CommandFailed } from "../config/CommandFailed.ts"

const Heads = Schema.Record(Schema.String, Schema.Struct({ number: Schema.Int, hash: Schema.NonEmptyString }))

type Heads = typeof Heads.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Heads))

/** The name of the fleet's chain in the file: no tenant's id. */
const fleet = "fleet"

const textOf = (path: string) =>
  Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (thrown) => thrown
  }).pipe(
    Effect.catch((thrown) =>
      thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT"
        ? Effect.succeed("{}")
        : Effect.fail(new CommandFailed({ message: `GRANT_HEADS: ${path} cannot be read: ${String(thrown)}` }))
    )
  )

/** What a file holds; refused where it holds anything else, as somebody has to look at it. */
const headsIn = Effect.fnUntraced(function* (path: string) {
  const read = decode(yield* textOf(path))
  return Option.isSome(read)
    ? read.value
    : yield* new CommandFailed({ message: `GRANT_HEADS: ${path} does not hold ends of chains` })
})

const trying = <A>(path: string, use: () => Promise<A>) =>
  Effect.tryPromise({
    try: use,
    catch: (cause) => new StorageError({ doing: `remember the end of a chain of grants in ${path}`, cause })
  })

const synced = (path: string, name: string, flags: "r" | "wx", use: (file: FileHandle) => Promise<void>) =>
  Effect.acquireUseRelease(
    trying(path, () => open(name, flags, 0o600)),
    (file) => trying(path, () => use(file).then(() => file.sync())),
    (file) => Effect.promise(() => file.close())
  )

/** Writes a file so that after a crash of the machine the old one is there or the new one, whole. Nobody else writes to the same new one. */
const replace = Effect.fnUntraced(function* (path: string, text: string) {
  const fresh = `${path}.${randomUUID()}.new`
  yield* synced(path, fresh, "wx", (file) => file.writeFile(text)).pipe(
    Effect.andThen(trying(path, () => rename(fresh, path))),
    Effect.onError(() => Effect.ignore(trying(path, () => rm(fresh, { force: true }))))
  )
  // the name is on the disk when its directory is
  yield* synced(path, dirname(path), "r", async () => undefined)
})

/** After so long nobody is at writing a new file any more. */
const leftMs = 60_000

/** Removes what processes that were killed have left of new files. That it cannot be is no reason not to start. */
const removeLeft = (path: string) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const folder = dirname(path)
    const names = yield* trying(path, () => readdir(folder))
    for (const name of names.filter((one) => one.startsWith(`${basename(path)}.`) && one.endsWith(".new"))) {
      const left = join(folder, name)
      const { mtimeMs } = yield* trying(path, () => stat(left))
      if (now - mtimeMs > leftMs) yield* trying(path, () => rm(left, { force: true }))
    }
  }).pipe(Effect.ignore)

/** Of two ends of each chain the later. */
const later = (some: Heads, others: Heads): Heads => {
  const all = { ...some }
  for (const [name, head] of Object.entries(others)) if (head.number > (all[name]?.number ?? 0)) all[name] = head
  return all
}

/**
 * The ends of chains in a file. One that cannot be read is refused: somebody has to look at it. Where another process was given the same file by
 * mistake, what that one has kept stays.
 */
export const fileHeads = Effect.fn("fileHeads")(function* (path: string) {
  let heads = yield* headsIn(path)
  yield* removeLeft(path)
  const turn = yield* Semaphore.make(1)
  return {
    seen: (chain) => heads[chain ?? fleet],
    keep: (chain, { hash, number }) =>
      Effect.gen(function* () {
        const name = chain ?? fleet
        // one that looked at the same time may have seen more
        if ((heads[name]?.number ?? 0) >= number) return
        const there = yield* Effect.mapError(
          headsIn(path),
          (cause) => new StorageError({ doing: `read the ends of chains of grants in ${path}`, cause })
        )
        const all = later(later(heads, { [name]: { number, hash } }), there)
        yield* replace(path, `${JSON.stringify(all, null, 2)}\n`)
        heads = all
      }).pipe(Semaphore.withPermit(turn))
  } satisfies GrantHeads
})
