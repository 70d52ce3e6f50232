import { Caller } from "@bursar/api/middleware/Caller"
import { verifyRequest } from "@bursar/api/signature/verifyRequest"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { ServerConfig } from "../config/ServerConfig.ts"
import { Directory } from "../keys/Directory.ts"
import { makeIsOurs } from "./isOurs.ts"

/**
 * Makes what examines the signature of the request in progress, against the keys that its caller may sign with: what came
 * of it, and the body. The body is read whole, and kept for whoever parses it.
 */
export const makeExamineRequest = Effect.gen(function* () {
  const directory = yield* Directory
  const { publicAuthorities } = yield* ServerConfig
  const isOurs = makeIsOurs(publicAuthorities)
  return Effect.gen(function* () {
    const { keyId, tenantId } = yield* Caller
    const request = yield* HttpServerRequest.HttpServerRequest
    // what breaks off is answered as it would be where the body is decoded
    const body = new Uint8Array(yield* Effect.orDie(request.arrayBuffer))
    const examination = yield* verifyRequest(
      { method: request.method, target: request.url, header: (name) => request.headers[name], body },
      {
        isOurs,
        findKey: (keyid) => directory.signingKey(TenantId(tenantId), keyId, keyid),
        now: yield* Clock.currentTimeMillis
      }
    )
    return { examination, body }
  })
})
