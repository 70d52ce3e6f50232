import { Effect, Option, Schema } from "effect"
import { CommandFailed } from "../config/CommandFailed.ts"
import { custodiesOf, readCustodies } from "../config/CustodySettings.ts"
import { readVariables } from "../config/environment.ts"
import { readSecretFile } from "../config/secretFile.ts"
import type { Present } from "../config/variable.ts"
import { openWrapper } from "./custodies.ts"

const Base64 = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9+/]+={0,2}$/u, { expected: "base64" }))

/** Master keys that only a token or a key service opens; the current one first. */
export const WrappedMasterKeys = Schema.Struct({
  bursar: Schema.Literal("wrapped master keys"),
  version: Schema.Literal(1),
  wrapped_by: Schema.Literals(["pkcs11", "aws-kms"]),
  keys: Schema.NonEmptyArray(
    Schema.Struct({ id: Schema.String.check(Schema.isPattern(/^[a-z0-9]{1,16}$/u)), wrapped: Base64 })
  )
})
/** Master keys that only a token or a key service opens; the current one first. */
export type WrappedMasterKeys = typeof WrappedMasterKeys.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(WrappedMasterKeys))

/** What a master key is wrapped for: another key's place, or another secret, is refused. */
export const purposeOf = (id: string): string => `bursar master key ${id}`

/** The custodies that variables tell of. */
export const custodiesFrom = Effect.fnUntraced(function* (variables: Present) {
  const read = yield* Effect.mapError(
    Effect.fromResult(readCustodies(variables)),
    ({ message }) => new CommandFailed({ message: `The settings of the key custodies are not valid: ${message}` })
  )
  return custodiesOf(read)
})

const unwrapAll = Effect.fnUntraced(
  function* ({ keys, wrapped_by }: WrappedMasterKeys, variables: Present) {
    const wrapper = yield* openWrapper(wrapped_by, yield* custodiesFrom(variables))
    const entries = yield* Effect.forEach(keys, ({ id, wrapped }) =>
      Effect.map(
        wrapper.unwrap(purposeOf(id), Buffer.from(wrapped, "base64")),
        (key) => `${id}:${Buffer.from(key).toString("base64")}`
      )
    )
    return entries.join(",")
  },
  // the token is open for as long as the keys are unwrapped
  Effect.scoped
)

/**
 * The variables, with VAULT_MASTER_KEY from the file that VAULT_MASTER_KEY_FILE names, where it does: the keys themselves, or keys
 * that are wrapped, which are unwrapped here and held in memory alone.
 */
export const withMasterKeyFile = Effect.fn("assemble.withMasterKeyFile")(function* (variables: Present) {
  const { VAULT_MASTER_KEY: direct = "", VAULT_MASTER_KEY_FILE: path = "", ...rest } = variables
  if (path === "") return variables
  if (direct !== "") {
    return yield* new CommandFailed({ message: "Set VAULT_MASTER_KEY or VAULT_MASTER_KEY_FILE, not both." })
  }
  const text = yield* readSecretFile("VAULT_MASTER_KEY_FILE", path)
  if (!text.trimStart().startsWith("{")) return { ...rest, VAULT_MASTER_KEY: text.trim() }
  const file = decode(text)
  if (Option.isNone(file)) {
    return yield* new CommandFailed({ message: `VAULT_MASTER_KEY_FILE: ${path} is no file of wrapped master keys.` })
  }
  return { ...rest, VAULT_MASTER_KEY: yield* unwrapAll(file.value, variables) }
})

/** The settings of `bursar sign` from the environment and, if there is one, a file; with the master keys unwrapped. */
export const signSettings = Effect.fn("assemble.signSettings")(function* (config: Option.Option<string>) {
  const { readSignSettings } = yield* Effect.promise(() => import("../config/Settings.ts"))
  return yield* Effect.fromResult(readSignSettings(yield* withMasterKeyFile(yield* readVariables(config))))
})
