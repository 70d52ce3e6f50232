import { StorageError } from "@bursar/core/engine/StorageError"
import type { GrantHeads } from "@bursar/core/grant/GrantHeads"
import { Effect, Option, Schema, Semaphore } from "effect"
import { open, readFile, rename } from "node:fs/promises"
import { CommandFailed } from "../config/CommandFailed.ts"

const Heads = Schema.Record(Schema.String, Schema.Struct({ number: Schema.Int, hash: Schema.NonEmptyString }))

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

const trying = <A>(path: string, use: () => Promise<A>) =>
  Effect.tryPromise({
    try: use,
    catch: (cause) => new StorageError({ doing: `remember the end of a chain of grants in ${path}`, cause })
  })

/** Writes a file so that after a crash the old one is there or the new one, whole. */
const replace = Effect.fnUntraced(function* (path: string, text: string) {
  yield* Effect.acquireUseRelease(
    trying(path, () => open(`${path}.new`, "w", 0o600)),
    (file) =>
      Effect.andThen(
        trying(path, () => file.writeFile(text)),
        trying(path, () => file.sync())
      ),
    (file) => Effect.promise(() => file.close())
  )
  yield* trying(path, () => rename(`${path}.new`, path))
})

/** The ends of chains in a file of this process's own. One that cannot be read is refused: somebody has to look at it. */
export const fileHeads = Effect.fn("fileHeads")(function* (path: string) {
  const read = decode(yield* textOf(path))
  if (Option.isNone(read))
    return yield* new CommandFailed({ message: `GRANT_HEADS: ${path} does not hold ends of chains` })
  const heads = new Map(Object.entries(read.value))
  const turn = yield* Semaphore.make(1)
  return {
    seen: (chain) => heads.get(chain ?? fleet),
    keep: (chain, head) =>
      turn.withPermits(1)(
        Effect.gen(function* () {
          const name = chain ?? fleet
          // one that looked at the same time may have seen more
          if ((heads.get(name)?.number ?? 0) >= head.number) return
          const kept = { number: head.number, hash: head.hash }
          yield* replace(path, `${JSON.stringify(Object.fromEntries([...heads, [name, kept]]), null, 2)}\n`)
          heads.set(name, kept)
        })
      )
  } satisfies GrantHeads
})
