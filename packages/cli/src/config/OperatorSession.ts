import { Effect, FileSystem, Option, Path, Schema } from "effect"
import { homedir } from "node:os"
import { join } from "node:path"
import { CommandFailed } from "./CommandFailed.ts"
import { readSecretFile } from "./secretFile.ts"

/** What a person has signed in with: for one operator port, and with what it is renewed. */
export const OperatorSession = Schema.Struct({
  operator_url: Schema.String,
  issuer: Schema.String,
  client_id: Schema.String,
  audience: Schema.String,
  scope: Schema.String,
  token: Schema.String,
  /** Unix milliseconds. */
  expires_at: Schema.Number,
  refresh_token: Schema.NullOr(Schema.String)
})

/** What a person has signed in with. */
export type OperatorSession = typeof OperatorSession.Type

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(OperatorSession))

const ownerOnly = { file: 0o600, folder: 0o700 }

/** Where the session is: BURSAR_SESSION, or a file of the person's own. */
export const sessionPath = Effect.sync(() => {
  const [named = "", state = ""] = [process.env["BURSAR_SESSION"], process.env["XDG_STATE_HOME"]]
  if (named !== "") return named
  return join(state === "" ? join(homedir(), ".local", "state") : state, "bursar", "session.json")
})

/** The session of this person; none where nobody is signed in. A file that others can read is refused. */
export const readSession = Effect.gen(function* () {
  const [files, path] = [yield* FileSystem.FileSystem, yield* sessionPath]
  if (!(yield* Effect.orElseSucceed(files.exists(path), () => false))) return Option.none<OperatorSession>()
  const text = yield* readSecretFile("The session", path)
  return Option.some(
    yield* Effect.mapError(
      decode(text),
      () => new CommandFailed({ message: `${path} is no session. Remove it, and run bursar operator login.` })
    )
  )
})

/** Keeps a session for its owner alone. A crash leaves the old one or the new one. */
export const writeSession = Effect.fn("OperatorSession.write")(
  function* (session: OperatorSession) {
    const [files, path, paths] = [yield* FileSystem.FileSystem, yield* sessionPath, yield* Path.Path]
    const folder = paths.dirname(path)
    yield* files.makeDirectory(folder, { recursive: true, mode: ownerOnly.folder })
    const fresh = yield* files.makeTempFileScoped({ directory: folder, prefix: "session-" })
    yield* files.chmod(fresh, ownerOnly.file)
    yield* files.writeFileString(fresh, `${JSON.stringify(session, null, 2)}\n`, { mode: ownerOnly.file })
    yield* files.rename(fresh, path)
  },
  Effect.scoped,
  Effect.mapError(() => new CommandFailed({ message: "The session cannot be written." }))
)

/** Forgets the session. */
export const forgetSession = Effect.gen(function* () {
  const [files, path] = [yield* FileSystem.FileSystem, yield* sessionPath]
  yield* files.remove(path, { force: true })
}).pipe(Effect.mapError(() => new CommandFailed({ message: "The session cannot be removed." })))
