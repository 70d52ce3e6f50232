import type { Caller } from "@bursar/api/middleware/Caller"
import { verifyRequest } from "@bursar/api/signature/verifyRequest"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect, Semaphore } from "effect"
import type { HttpServerRequest } from "effect/http"
import { ServerConfig } from "../config/ServerConfig.ts"
import { Directory } from "../keys/Directory.ts"
import { makeIsOurs } from "@bursar/api/signature/isOurs"

/**
 * How many signatures are examined at once. Of many requests that come at the same moment the first are carried out while others
 * are still examined; else all of them would be answered together at the end, when those who ask may have given up.
 */
const examinedAtOnce = 16

/**
 * Makes what examines the signature of a request, against the keys that its caller may sign with: what came
 * of it, and the body. The body is read whole, and kept for whoever parses it.
 */
export const makeExamineRequest = Effect.gen(function* () {
  const directory = yield* Directory
  const { publicAuthorities } = yield* ServerConfig
  const isOurs = makeIsOurs(publicAuthorities)
  const turns = Semaphore.makeUnsafe(examinedAtOnce)
  return Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest,
    { keyId, tenantId }: Caller["Service"]
  ) {
    // what breaks off is answered as it would be where the body is decoded
    const body = new Uint8Array(yield* Effect.orDie(request.arrayBuffer))
    // a turn is taken when all is there: whoever sends slowly keeps nobody waiting
    const examination = yield* Semaphore.withPermits(
      turns,
      1
    )(
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        verifyRequest(
          { method: request.method, target: request.url, header: (name) => request.headers[name], body },
          { isOurs, findKey: (keyid) => directory.signingKey(TenantId(tenantId), keyId, keyid, now), now }
        )
      )
    )
    return { examination, body }
  })
})
