import type { ApiError } from "@bursar/api/errors/ApiError"
import { Effect } from "effect"
import type { Arrived } from "../http/Arrived.ts"
import { makeSeldom } from "./seldom.ts"

/** Whether an error says that the key alone does not open this: a scope or a signature of its owner is missing, wrong or used. */
const oversteps = (code: string): boolean =>
  code === "scope_missing" || code === "digest_mismatch" || code.startsWith("signature_")

/**
 * Makes what tells a person that somebody with a valid key asked for what it does not open: its owner has made a mistake, or it is not
 * its owner.
 */
export const makeOverstepping = () => {
  const seldom = makeSeldom()
  return ({ caller, clock, facts }: Arrived, { error: { code } }: ApiError): Effect.Effect<void> => {
    if (caller === null || !oversteps(code)) return Effect.void
    const { keyId, keyPrefix, tenantId } = caller
    if (!seldom(`${keyId} ${code}`, clock.currentTimeMillisUnsafe())) return Effect.void
    return Effect.annotateLogs(Effect.logWarning("api_key.refused"), {
      request_id: facts.id,
      key: keyPrefix,
      tenant: tenantId,
      route: facts.route,
      code,
      address: facts.clientAddress
    })
  }
}
