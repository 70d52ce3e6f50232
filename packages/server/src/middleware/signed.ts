import { apiError } from "@bursar/api/errors/ApiError"
import { Signed } from "@bursar/api/middleware/Signed"
import { VerifiedSignature } from "@bursar/api/middleware/VerifiedSignature"
import { Effect, Layer, Result, Semaphore } from "effect"
import { makeExamineRequest } from "../signature/examineRequest.ts"
import { checking } from "./checking.ts"

/**
 * How many signatures are examined at once. Of many requests that come at the same moment the first are carried out while others
 * are still examined; else all of them would be answered together at the end, when those who ask may have given up.
 */
const examinedAtOnce = 16

/**
 * Lets only signed requests through, and tells the handler by whom they are signed. The nonce is used up in the commit of
 * what the request asks for: `answerOnce` does so.
 */
export const layer = Layer.effect(
  Signed,
  Effect.map(makeExamineRequest, (examine) => {
    const turns = Semaphore.makeUnsafe(examinedAtOnce)
    return Signed.of((app) =>
      Effect.gen(function* () {
        const { body, examination } = yield* Semaphore.withPermits(turns, 1)(checking(examine))
        if (Result.isFailure(examination.outcome)) {
          const { code, message } = examination.outcome.failure
          return yield* apiError(code, { message })
        }
        return yield* Effect.provideService(app, VerifiedSignature, { ...examination.outcome.success, body })
      })
    )
  })
)
