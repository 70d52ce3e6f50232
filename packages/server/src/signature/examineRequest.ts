import type { Caller } from "@bursar/api/middleware/Caller"
import { makeVerifyRequest } from "@bursar/api/signature/verifyRequest"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { ServerConfig } from "../config/ServerConfig.ts"
import { Directory } from "../keys/Directory.ts"
import { nodeCrypto } from "./nodeCrypto.ts"
import { makeIsOurs } from "@bursar/api/signature/isOurs"

const verify = makeVerifyRequest(nodeCrypto)

/**
 * Makes what examines the signature of a request, against the keys that its caller may sign with: what came
 * of it, and the body. The body is read whole, and kept for whoever parses it.
 */
export const makeExamineRequest = Effect.gen(function* () {
  const directory = yield* Directory
  const { publicAuthorities } = yield* ServerConfig
  const isOurs = makeIsOurs(publicAuthorities)
  return Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest,
    { keyId, tenantId }: Caller["Service"]
  ) {
    // what breaks off is answered as it would be where the body is decoded
    const body = new Uint8Array(yield* Effect.orDie(request.arrayBuffer))
    const now = yield* Clock.currentTimeMillis
    const examination = yield* verify(
      { method: request.method, target: request.url, header: (name) => request.headers[name], body },
      {
        isOurs,
        findKey: (keyid) => directory.signingKey(TenantId(tenantId), keyId, keyid, now),
        now
      }
    )
    return { examination, body }
  })
})
