import { type GrantRoot, parseGrantRoot } from "@bursar/core/grant/GrantRoot"
import type { GrantTrust } from "@bursar/core/grant/verifyChain"
import { Effect, FileSystem, Option } from "effect"
import { CommandFailed } from "./CommandFailed.ts"
import { readVariables } from "./environment.ts"
import { readHandshake } from "./Handshake.ts"
import type { Present } from "./variable.ts"

const parsed = (text: string): Effect.Effect<GrantRoot, CommandFailed> =>
  Effect.mapError(
    Effect.fromResult(parseGrantRoot(text)),
    (problem) => new CommandFailed({ message: `GRANT_ROOT: ${problem}` })
  )

/** The root of the service that `bursar-dev` runs here; none where variables name another service. */
const rootOfDev = Effect.fnUntraced(function* (variables: Present) {
  if (variables["BURSAR_OPERATOR_URL"] || variables["DATABASE_URL"]) return Option.none<string>()
  const grants = Option.flatMap(yield* readHandshake, (dev) => Option.fromNullOr(dev.grants))
  if (Option.isNone(grants)) return Option.none<string>()
  const { root_file: path } = grants.value
  const failed = () => new CommandFailed({ message: `The file ${path} cannot be read.` })
  return Option.some(yield* Effect.mapError((yield* FileSystem.FileSystem).readFileString(path), failed))
})

/** The root that grants are verified from, if there is one: GRANT_ROOT, a JSON text or the path of a file with it, or that of `bursar-dev` here. */
export const findGrantRoot = Effect.fn("grantRoot.find")(function* (config: Option.Option<string>) {
  const variables = yield* readVariables(config)
  const given = variables["GRANT_ROOT"] ?? ""
  const text = given === "" ? yield* rootOfDev(variables) : Option.some(given)
  return Option.isNone(text) ? Option.none<GrantRoot>() : Option.some(yield* parsed(text.value))
})

/** The root that grants are verified from. */
export const readGrantRoot = Effect.fn("grantRoot.read")(function* (config: Option.Option<string>) {
  const root = yield* findGrantRoot(config)
  return Option.isSome(root)
    ? root.value
    : yield* new CommandFailed({
        message: "GRANT_ROOT is missing: the root that grants are verified from, or the path of its file."
      })
})

/** What verifies grants from a root, with the passkeys of its relying party. */
export const trustOf = Effect.fn("grantRoot.trustOf")(function* (root: GrantRoot) {
  const { passkeyVerifier } = yield* Effect.promise(() => import("@bursar/vault/passkeys"))
  const trust: GrantTrust = { root, passkeys: passkeyVerifier(root.relying_party) }
  return trust
})
