import { Effect, Schema } from "effect"
import { existsSync } from "node:fs"
import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { DevnetError } from "@bursar/simulator-kit/DevnetError"
import { file } from "@bursar/simulator-kit/files"
import { type Chain, makeChain, restore, type Snapshot } from "./Chain.ts"

const SnapshotText = Schema.fromJsonString(
  Schema.Struct({
    version: Schema.Literal(1),
    passphrase: Schema.String,
    head: Schema.String,
    ledgers: Schema.Array(Schema.Struct({ time: Schema.Int, transactions: Schema.Array(Schema.String) }))
  })
)

const damaged = (path: string, cause: unknown) =>
  new DevnetError({
    code: "file_failed",
    message: `${path} is damaged, of another network, or was written by another version`,
    hint: "Start over with fresh data; a network that lost its end no longer fits what was recorded about it.",
    cause
  })

/** The network of a file, or a new one that begins at a time in seconds where there is none. */
export const loadChain = Effect.fn("stellar.chainFile.loadChain")(function* (
  path: string,
  passphrase: string,
  now: number
): Effect.fn.Return<Chain, DevnetError> {
  yield* file(`create ${dirname(path)}`, () => mkdir(dirname(path), { recursive: true }))
  if (!existsSync(path)) return makeChain(passphrase, now)
  const text = yield* file(`read ${path}`, () => readFile(path, "utf8"))
  const snapshot = yield* Effect.mapError(Schema.decodeEffect(SnapshotText)(text), (cause) => damaged(path, cause))
  if (snapshot.passphrase !== passphrase) return yield* damaged(path, `it is of ${snapshot.passphrase}`)
  return yield* Effect.try({ try: () => restore(passphrase, snapshot), catch: (cause) => damaged(path, cause) })
})

/** Writes the network so that the file is whole at every moment. */
export const saveChain = (path: string, passphrase: string, snapshot: Snapshot): Effect.Effect<void, DevnetError> =>
  Effect.andThen(
    file(`write ${path}`, () => writeFile(`${path}.new`, JSON.stringify({ version: 1, passphrase, ...snapshot }))),
    file(`replace ${path}`, () => rename(`${path}.new`, path))
  )
