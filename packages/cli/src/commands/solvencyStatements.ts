import { SolvencyStatementIn } from "@bursar/api/operator/OperatorSolvency"
import { Effect, FileSystem, Path, Schema, Stream } from "effect"
import { createHash } from "node:crypto"
import { CommandFailed } from "../config/CommandFailed.ts"

const { sha256: _sha256, ...fields } = SolvencyStatementIn.fields

/** Statements as an operator writes them down: with the path of each file, whose hash is made here. */
const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Array(Schema.Struct(fields))))

const hashOf = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const digest = createHash("sha256")
  yield* Stream.runForEach(files.stream(path), (chunk) => Effect.sync(() => digest.update(chunk)))
  return digest.digest("hex")
})

/** Reads a list of statements of custodians and banks, and hashes their files, which stand beside it. They stay where they are. */
export const readStatements = Effect.fn("solvency.readStatements")(function* (list: string) {
  const [files, paths] = [yield* FileSystem.FileSystem, yield* Path.Path]
  const text = yield* Effect.mapError(
    files.readFileString(list),
    () => new CommandFailed({ message: `${list} cannot be read.` })
  )
  const statements = yield* Effect.mapError(
    decode(text),
    ({ message }) => new CommandFailed({ message: `${list} has not the form of a list of statements: ${message}` })
  )
  return yield* Effect.forEach(statements, (statement) => {
    const path = paths.resolve(paths.dirname(list), statement.file)
    return Effect.matchEffect(hashOf(path), {
      onFailure: () => Effect.fail(new CommandFailed({ message: `${path} cannot be read.` })),
      onSuccess: (sha256) => Effect.succeed({ ...statement, file: paths.basename(path), sha256 })
    })
  })
})
