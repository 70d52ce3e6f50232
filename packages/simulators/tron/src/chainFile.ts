import { Effect, Schema } from "effect"
import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { existsSync } from "node:fs"
import { dirname } from "node:path"
import { DevnetError } from "@bursar/simulator-kit/DevnetError"
import { file } from "@bursar/simulator-kit/files"
import { type Chain, makeChain, type Snapshot } from "./Chain.ts"

const SnapshotText = Schema.fromJsonString(
  Schema.Struct({
    version: Schema.Literal(1),
    head: Schema.String,
    blocks: Schema.Array(
      Schema.Struct({ time: Schema.Int, fork: Schema.Int, transactions: Schema.Array(Schema.String) })
    )
  })
)

const damaged = (path: string, cause: unknown) =>
  new DevnetError({
    code: "file_failed",
    message: `${path} is damaged, or was written by another version`,
    hint: "Start over with fresh data; a chain that lost its end no longer fits what was recorded about it.",
    cause
  })

/** The chain of a file, or a new one where there is none. */
export const loadChain = Effect.fn("chainFile.loadChain")(function* (
  path: string,
  solidifiedLag: number
): Effect.fn.Return<Chain, DevnetError> {
  yield* file(`create ${dirname(path)}`, () => mkdir(dirname(path), { recursive: true }))
  if (!existsSync(path)) return makeChain(solidifiedLag)
  const text = yield* file(`read ${path}`, () => readFile(path, "utf8"))
  const snapshot = yield* Effect.mapError(Schema.decodeEffect(SnapshotText)(text), (cause) => damaged(path, cause))
  return yield* Effect.try({ try: () => makeChain(solidifiedLag, snapshot), catch: (cause) => damaged(path, cause) })
})

/** Writes the chain so that the file is whole at every moment. */
export const saveChain = (path: string, snapshot: Snapshot): Effect.Effect<void, DevnetError> =>
  Effect.andThen(
    file(`write ${path}`, () => writeFile(`${path}.new`, JSON.stringify(snapshot))),
    file(`replace ${path}`, () => rename(`${path}.new`, path))
  )
