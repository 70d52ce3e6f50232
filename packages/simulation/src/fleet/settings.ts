import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import { Redacted, Result } from "effect"

/** The authority under which partners reach the service. */
export const authority = "api.example.test"

/** What API keys start with. */
export const keyPrefix = "bsr"

/** Under which API keys are hashed. */
export const keyPepper = Redacted.make("pepper-pepper-pepper-pepper-pepper")

/** Under which secrets are sealed. */
export const masterKeys = Result.getOrThrow(
  parseMasterKeys(Redacted.make(`world:${Buffer.alloc(32, 7).toString("base64")}`))
)
