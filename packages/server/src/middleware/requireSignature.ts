import { apiError } from "@bursar/api/errors/ApiError"
import { Effect, Result } from "effect"
import { callerOf, type Check } from "../http/Arrived.ts"
import { pass } from "../http/Step.ts"
import { makeExamineRequest } from "../signature/examineRequest.ts"
import { checkingFor } from "./checking.ts"

/** Makes what verifies the signature of a request and notes it, or answers what is wrong with it. */
export const makeRequireSignature = Effect.map(
  makeExamineRequest,
  (examine): Check =>
    (arrived) =>
      Effect.flatMap(
        checkingFor(examine(arrived.request, callerOf(arrived)), arrived.request.method),
        ({ body, examination: { outcome } }) => {
          if (Result.isFailure(outcome)) {
            const { code, message } = outcome.failure
            return Effect.fail(apiError(code, { message }))
          }
          arrived.verified = { ...outcome.success, body }
          return pass
        }
      )
)
