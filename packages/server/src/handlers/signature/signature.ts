import type { ApiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import type { SignatureCheck } from "@bursar/api/wire/SignatureCheck"
import { Effect, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { checkingFor } from "../../middleware/checking.ts"
import { makeExamineRequest } from "../../signature/examineRequest.ts"

/** POST /v1/signature/verify: what a signed operation would say to this very signature. Uses up no nonce. */
export const layer = HttpApiBuilder.group(
  PartnerApi,
  "signature",
  Effect.fnUntraced(function* (handlers) {
    const examine = yield* makeExamineRequest
    return handlers.handleAll({
      verify: () =>
        Effect.gen(function* (): Effect.fn.Return<
          SignatureCheck,
          ApiError,
          Caller | HttpServerRequest.HttpServerRequest
        > {
          const request = yield* HttpServerRequest.HttpServerRequest
          const { examination } = yield* checkingFor(examine(request, yield* Caller), request.method)
          const { contentDigest, keyid, outcome, signatureBase } = examination
          const problem = Result.isFailure(outcome) ? outcome.failure : null
          return {
            verified: problem === null,
            keyid,
            code: problem?.code ?? null,
            message: problem?.message ?? null,
            signature_base: signatureBase,
            content_digest: contentDigest
          }
        })
    })
  })
)
