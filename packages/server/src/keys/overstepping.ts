import { ErrorBody } from "@bursar/api/errors/ErrorBody"
import { Caller } from "@bursar/api/middleware/Caller"
import { Cause, Clock, Effect, Schema } from "effect"
import { CurrentRequest } from "../http/CurrentRequest.ts"
import { makeSeldom } from "./seldom.ts"

const isRefusal = Schema.is(ErrorBody)

/** Whether an error says that the key alone does not open this: a scope or a signature of its owner is missing, wrong or used. */
const oversteps = (code: string): boolean =>
  code === "scope_missing" || code === "digest_mismatch" || code.startsWith("signature_")

/**
 * Makes what tells a person that somebody with a valid key asked for what it does not open: its owner has made a mistake, or it is not
 * its owner.
 */
export const makeOverstepping = () => {
  const seldom = makeSeldom()
  return <A, E, R>(app: Effect.Effect<A, E, R>) =>
    Effect.tapCause(app, (cause) =>
      Effect.gen(function* () {
        const error = Cause.squash(cause)
        if (!isRefusal(error) || !oversteps(error.error.code)) return
        const { code } = error.error
        const { keyId, keyPrefix, tenantId } = yield* Caller
        if (!seldom(`${keyId} ${code}`, yield* Clock.currentTimeMillis)) return
        const { clientAddress, id, route } = yield* CurrentRequest
        yield* Effect.annotateLogs(Effect.logWarning("api_key.refused"), {
          request_id: id,
          key: keyPrefix,
          tenant: tenantId,
          route,
          code,
          address: clientAddress
        })
      })
    )
}
