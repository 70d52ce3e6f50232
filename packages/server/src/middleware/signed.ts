import { apiError } from "@bursar/api/errors/ApiError"
import { Signed } from "@bursar/api/middleware/Signed"
import { VerifiedSignature } from "@bursar/api/middleware/VerifiedSignature"
import { Effect, Layer, Result } from "effect"
import { makeExamineRequest } from "../signature/examineRequest.ts"
import { checking } from "./checking.ts"

/**
 * Lets only signed requests through, and tells the handler by whom they are signed. The nonce is used up in the commit of
 * what the request asks for: `handleIdempotent` does so.
 */
export const layer = Layer.effect(
  Signed,
  Effect.map(makeExamineRequest, (examine) =>
    Signed.of((app) =>
      Effect.gen(function* () {
        const { body, examination } = yield* checking(examine)
        if (Result.isFailure(examination.outcome)) {
          const { code, message } = examination.outcome.failure
          return yield* apiError(code, { message })
        }
        return yield* Effect.provideService(app, VerifiedSignature, { ...examination.outcome.success, body })
      })
    )
  )
)
