import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import { isErrorCode } from "@bursar/api/errors/Catalogue"
import { VerifiedSignature } from "@bursar/api/middleware/VerifiedSignature"
import type { Command } from "@bursar/core/engine/Command"
import type { Json } from "@bursar/core/engine/Json"
import type { Writer } from "@bursar/core/engine/Writer"
import type { StoredOutcome } from "@bursar/core/idempotency/Claim"
import { type Once, once } from "@bursar/core/idempotency/once"
import { signedOnce } from "@bursar/core/signature/signedOnce"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import { CurrentRequest } from "../http/CurrentRequest.ts"
import { refusalOptions, submitPrepared } from "../refusals.ts"
import { toRequestSignature } from "../signature/evidence.ts"
import { canonicalJson, fingerprintOf, unstorableText } from "./canonicalJson.ts"
import { requireKey } from "./idempotencyKey.ts"
import type { InFlight } from "./InFlight.ts"

/** A request that is to have its effect at most once. */
export interface OnceRequest<A> {
  readonly tenantId: string
  /** The `Idempotency-Key` header as it came. */
  readonly keyHeader: string | undefined
  /** The method and path template, such as `POST /v1/withdrawals`. */
  readonly endpoint: string
  /** The path itself. */
  readonly path: string
  readonly payload: unknown
  /** The status of success. */
  readonly status: number
  /** The command, or what prepares it from what is stored: called again, and told how often it was, where that has changed. */
  readonly command: Command<A> | ((attempt: number) => Effect.Effect<Command<A>, ApiError>)
  readonly render: (reply: A) => Json
  readonly resourceId?: (reply: A) => string | null
}

/**
 * The answer of an outcome. Its body is canonical JSON: storage may keep the keys of an object in an order of its own, and
 * a replay is to be the same to the byte.
 */
const answerOf = (
  outcome: StoredOutcome,
  status: number
): Effect.Effect<HttpServerResponse.HttpServerResponse, ApiError> => {
  if (outcome._tag === "Done") {
    return Effect.succeed(
      HttpServerResponse.text(canonicalJson(outcome.body), { status, contentType: "application/json" })
    )
  }
  return Effect.suspend(() => Effect.fail(storedRefusal(outcome)))
}

/** The answer to a request whose claim was refused. A code that the catalogue does not have is a bug. */
export const storedRefusal = ({
  code,
  detail,
  message
}: Extract<StoredOutcome, { readonly _tag: "Refused" }>): ApiError => {
  if (!isErrorCode(code)) throw new Error(`a claim was refused with ${code}, which the catalogue does not have`)
  return code === "not_found" ? apiError(code) : apiError(code, refusalOptions(message, detail))
}

/**
 * Carries out a request under its idempotency key and answers it. Effect, claim and answer are one commit; the same
 * request again gets the same answer with `Idempotency-Replayed: true`. A rival waits for the first for two seconds. Where
 * the request is signed, its nonce is used up in the same commit; what `Signed` has verified cannot be forgotten here.
 */
export const answerOnce = (writer: Writer["Service"], inFlight: InFlight["Service"]) =>
  Effect.fnUntraced(function* <A>(request: OnceRequest<A>) {
    const problem = unstorableText(request.payload)
    if (problem !== undefined)
      return yield* apiError("invalid_request", { fields: [{ ...problem, code: "invalid_request" }] })
    const key = yield* Effect.fromResult(requireKey(request.keyHeader))
    const { command, endpoint, path, payload, render, status, tenantId } = request
    const [method = ""] = endpoint.split(" ", 1)
    const work: Omit<Once<A>, "command"> = {
      key,
      endpoint,
      fingerprint: fingerprintOf(method, path, payload),
      render,
      ...(request.resourceId === undefined ? {} : { resourceId: request.resourceId })
    }
    const signature = yield* Effect.serviceOption(VerifiedSignature)
    const claimed = (prepared: Command<A>) =>
      Option.match(signature, {
        onNone: () => once({ ...work, command: prepared }),
        onSome: (verified) => signedOnce(toRequestSignature(verified), { ...work, command: prepared })
      })
    const prepare = typeof command === "function" ? command : () => Effect.succeed(command)
    const { outcome, replayed } = yield* inFlight.oneAtATime(
      `${tenantId} ${key}`,
      submitPrepared(writer, TenantId(tenantId), (attempt) => Effect.map(prepare(attempt), claimed)),
      apiError("idempotency_in_flight")
    )
    if (replayed) (yield* CurrentRequest).responseHeaders["idempotency-replayed"] = "true"
    return yield* answerOf(outcome, status)
  })
