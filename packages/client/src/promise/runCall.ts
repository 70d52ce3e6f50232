import { Cause, Effect, Exit, Option, Schema } from "effect"
import type { HttpClientError, HttpClientResponse } from "effect/http"
import { refusalAfterLoss } from "../call/AttemptLost.ts"
import { CallOverrides } from "../call/CallSettings.ts"
import { answerToError } from "../error/answerToError.ts"
import { BursarError, type BursarErrorCode, type BursarErrorFacts } from "../error/BursarError.ts"
import { failureToError } from "../error/failureToError.ts"
import { requestToError, type RequestParts } from "../error/requestToError.ts"
import type { AnswerCheck } from "./answerCheck.ts"
import type { AnswerFacts, CallOptions } from "./Client.ts"

type Response = HttpClientResponse.HttpClientResponse
type Facts = BursarErrorFacts<BursarErrorCode>

/** The call of a derived client, which gives the answer as it came. */
export type RawCall = Effect.Effect<Response, HttpClientError.HttpClientError | Schema.SchemaError>

const factsOf = ({ headers, status }: Response): AnswerFacts => ({
  status,
  requestId: headers["x-request-id"] ?? null,
  replayed: headers["idempotency-replayed"] === "true",
  headers: new Headers({ ...headers })
})

/** The error of a success that the service did not write: something in between did, and what the service did is not known. */
const unreadable = ({ headers, status }: Response, idempotencyKey: string | undefined, cause?: unknown): Facts => ({
  code: "answer_unreadable",
  message: `The answer, of status ${status}, is not one of this service.`,
  status,
  requestId: headers["x-request-id"],
  retryable: true,
  idempotencyKey,
  cause
})

/** What a call asks for: the parts of its request, and what can be its answer. */
export interface CallParts extends RequestParts {
  readonly isAnswer: AnswerCheck
}

/**
 * The body of an answer that is a success. Its values are not held against the contract: a field or a value
 * that a later service adds must not make an error of a payout that was accepted.
 */
const bodyOf = Effect.fnUntraced(function* (
  response: Response,
  isAnswer: AnswerCheck,
  idempotencyKey: string | undefined
) {
  if (response.status < 200 || response.status > 299) {
    return yield* Effect.fail(yield* answerToError(response, idempotencyKey))
  }
  const body: unknown = yield* Effect.mapError(response.json, ({ reason }) =>
    unreadable(response, idempotencyKey, "cause" in reason ? reason.cause : undefined)
  )
  if (!isAnswer(body)) return yield* Effect.fail(unreadable(response, idempotencyKey))
  return body
})

/** The answer of a call, and whether an earlier attempt of it may have made the change that this one was refused. */
const answerOf = (call: RawCall) =>
  call.pipe(
    Effect.map((response) => ({ response, attemptLost: false })),
    Effect.catchTag("HttpClientError", (failure) => {
      const response = refusalAfterLoss(failure)
      return response === undefined ? Effect.fail(failure) : Effect.succeed({ response, attemptLost: true })
    })
  )

/** Carries a call out, and gives the body of its answer. Rejects with a {@link BursarError}. */
export const runCall = async (
  call: RawCall,
  parts: CallParts,
  { onAnswer, requestId, signal, timeoutMs }: CallOptions,
  idempotencyKey: string | undefined
): Promise<unknown> => {
  const told = (error: Facts | HttpClientError.HttpClientError | Schema.SchemaError): Facts => {
    if ("code" in error) return error
    return Schema.isSchemaError(error)
      ? requestToError(error, parts, idempotencyKey)
      : failureToError(error, idempotencyKey)
  }
  const program = Effect.gen(function* () {
    const { attemptLost, response } = yield* answerOf(call)
    const body = yield* Effect.mapError(bodyOf(response, parts.isAnswer, idempotencyKey), (error) => ({
      ...told(error),
      attemptLost
    }))
    return { response, body }
  }).pipe(Effect.provideService(CallOverrides, { requestId, timeoutMs }), Effect.mapError(told))
  const exit = await Effect.runPromiseExit(program, signal === undefined ? {} : { signal })
  if (Exit.isSuccess(exit)) {
    onAnswer?.(factsOf(exit.value.response))
    return exit.value.body
  }
  const failure = Cause.findErrorOption(exit.cause)
  // The error is made here, so that its stack leads to whoever made the call.
  if (Option.isSome(failure)) throw new BursarError(failure.value)
  if (!Cause.hasInterruptsOnly(exit.cause)) throw Cause.squash(exit.cause)
  throw new BursarError({
    code: "aborted",
    message: "The call was ended by its caller.",
    status: null,
    retryable: false,
    idempotencyKey,
    cause: signal?.reason
  })
}
