import { type GrantRoot, parseGrantRoot } from "@bursar/core/grant/GrantRoot"
import type { GrantTrust } from "@bursar/core/grant/verifyChain"
import { Effect, type Option, Result } from "effect"
import { CommandFailed } from "./CommandFailed.ts"
import { readVariables } from "./environment.ts"

/** The root that grants are verified from: GRANT_ROOT, a JSON text or the path of a file with it. */
export const readGrantRoot = Effect.fn("grantRoot.read")(function* (config: Option.Option<string>) {
  const text = (yield* readVariables(config))["GRANT_ROOT"] ?? ""
  if (text === "")
    return yield* new CommandFailed({
      message: "GRANT_ROOT is missing: the root that grants are verified from, or the path of its file."
    })
  const root: Result.Result<GrantRoot, string> = parseGrantRoot(text)
  if (Result.isSuccess(root)) return root.success
  return yield* new CommandFailed({ message: `GRANT_ROOT: ${root.failure}` })
})

/** What verifies grants from a root, with the passkeys of its relying party. */
export const trustOf = Effect.fn("grantRoot.trustOf")(function* (root: GrantRoot) {
  const { passkeyVerifier } = yield* Effect.promise(() => import("@bursar/vault/passkeys"))
  const trust: GrantTrust = { root, passkeys: passkeyVerifier(root.relying_party) }
  return trust
})
