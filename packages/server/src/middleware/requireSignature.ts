import { apiError } from "@bursar/api/errors/ApiError"
import { Effect, Result } from "effect"
import { checking } from "./checking.ts"
import { makeExamineRequest } from "../signature/examineRequest.ts"

/** Makes what gives the verified signature of the request in progress, or answers what is wrong with it. */
export const makeRequireSignature = Effect.map(makeExamineRequest, (examine) =>
  Effect.gen(function* () {
    const { body, examination } = yield* checking(examine)
    if (Result.isFailure(examination.outcome)) {
      const { code, message } = examination.outcome.failure
      return yield* apiError(code, { message })
    }
    return { ...examination.outcome.success, body }
  })
)
