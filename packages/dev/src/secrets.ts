import { Effect, FileSystem, Path, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { HandshakeTenant } from "@bursar/cli/config/Handshake"

/** What a local service must keep between starts: its secrets, and the demo tenants with keys in the clear. */
export const DevSecrets = Schema.Struct({
  keyPepper: Schema.String,
  operatorToken: Schema.String,
  masterKey: Schema.String,
  /** Absent where a version before has made it, which sealed all under the master key. */
  secretsKey: Schema.optionalKey(Schema.String),
  /** Whether the first ceremony is over: from then on no row becomes a grant by itself. */
  ceremony: Schema.optionalKey(Schema.Literal("over")),
  tenants: Schema.Array(HandshakeTenant)
})

/** What a local service must keep between starts. */
export type DevSecrets = typeof DevSecrets.Type

const json = Schema.fromJsonString(DevSecrets)

const fresh = (): DevSecrets => ({
  keyPepper: randomBytes(32).toString("base64url"),
  operatorToken: randomBytes(32).toString("base64url"),
  masterKey: `dev:${randomBytes(32).toString("base64")}`,
  secretsKey: `dev:${randomBytes(32).toString("base64")}`,
  tenants: []
})

/** Reads the secrets of a data directory, or makes them. The file is its owner's alone. */
export const openSecrets = Effect.fn("dev.openSecrets")(function* (dataDir: string) {
  const files = yield* FileSystem.FileSystem
  const path = (yield* Path.Path).join(dataDir, "secrets.json")
  const save = (secrets: DevSecrets) =>
    Effect.gen(function* () {
      yield* files.writeFileString(`${path}.new`, JSON.stringify(secrets, null, 2), { mode: 0o600 })
      yield* files.rename(`${path}.new`, path)
      return secrets
    })
  const secrets = (yield* files.exists(path))
    ? yield* Effect.flatMap(files.readFileString(path), Schema.decodeEffect(json))
    : yield* save(fresh())
  return { secrets, save }
})
