import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import { isErrorCode } from "@bursar/api/errors/Catalogue"
import { VerifiedSignature } from "@bursar/api/middleware/VerifiedSignature"
import type { Command } from "@bursar/core/engine/Command"
import type { Json } from "@bursar/core/base/Json"
import { Writer } from "@bursar/core/engine/Writer"
import type { StoredOutcome } from "@bursar/core/idempotency/IdempotencyRecord"
import { alreadyRecorded, type IdempotentCommand, idempotent } from "@bursar/core/idempotency/idempotent"
import { Queries } from "@bursar/core/store/Queries"
import { signedIdempotent } from "@bursar/core/signature/signedIdempotent"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import { CurrentRequest } from "../http/CurrentRequest.ts"
import { refusalOptions, submitPrepared, writing } from "../refusals.ts"
import { toRequestSignature } from "../signature/evidence.ts"
import { canonicalJson, fingerprintOf, unstorableText } from "./canonicalJson.ts"
import { requireKey } from "./idempotencyKey.ts"
import { InFlight } from "./InFlight.ts"

/** Prepares a command from what is stored and what the world outside says; told how often it was called before. */
export type Prepare<A> = (attempt: number) => Effect.Effect<Command<A>, ApiError>

/**
 * Prepares a command only where its key has no claim: what was answered once is answered again though prices, nodes and
 * providers are gone. Whether the claim is that of the same request is decided in the commit.
 */
export const unlessRecorded =
  (queries: Queries["Service"]) =>
  <A>(tenantId: TenantId, key: string, prepare: Prepare<A>): Prepare<A> =>
  (attempt) =>
    Effect.flatMap(writing(queries.idempotencyRecord(tenantId, key)), (idempotencyRecord) =>
      idempotencyRecord === undefined ? prepare(attempt) : Effect.succeed(alreadyRecorded)
    )

/** A request that is to have its effect at most once. */
export interface IdempotentRequest<A> {
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
  /**
   * The command or, where anything has to be asked for it, what prepares it: not called where the key was used already;
   * called again, and told how often it was, where what it was prepared from has changed.
   */
  readonly command: Command<A> | Prepare<A>
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
 * What carries out a request under its idempotency key and answers it, over the services of the handler's layer. Effect, claim and answer are one commit; the same
 * request again gets the same answer with `Idempotency-Replayed: true`. A rival waits for the first for two seconds. Where
 * the request is signed, its nonce is used up in the same commit; what `Signed` has verified cannot be forgotten here.
 */
export const handleIdempotent = Effect.gen(function* () {
  const writer = yield* Writer
  const inFlight = yield* InFlight
  const prepared = unlessRecorded(yield* Queries)
  return Effect.fnUntraced(function* <A>(request: IdempotentRequest<A>) {
    const problem = unstorableText(request.payload)
    if (problem !== undefined)
      return yield* apiError("invalid_request", { fields: [{ ...problem, code: "invalid_request" }] })
    const key = yield* Effect.fromResult(requireKey(request.keyHeader))
    const { command, endpoint, path, payload, render, status, tenantId } = request
    const [method = ""] = endpoint.split(" ", 1)
    const work: Omit<IdempotentCommand<A>, "command"> = {
      key,
      endpoint,
      fingerprint: fingerprintOf(method, path, payload),
      render,
      ...(request.resourceId === undefined ? {} : { resourceId: request.resourceId })
    }
    const signature = yield* Effect.serviceOption(VerifiedSignature)
    const claimed = (given: Command<A>) =>
      Option.match(signature, {
        onNone: () => idempotent({ ...work, command: given }),
        onSome: (verified) => signedIdempotent(toRequestSignature(verified), { ...work, command: given })
      })
    const prepare =
      typeof command === "function" ? prepared(TenantId(tenantId), key, command) : () => Effect.succeed(command)
    const { outcome, replayed } = yield* inFlight.oneAtATime(
      `${tenantId} ${key}`,
      submitPrepared(writer, TenantId(tenantId), (attempt) => Effect.map(prepare(attempt), claimed)),
      apiError("idempotency_in_flight")
    )
    if (replayed) (yield* CurrentRequest).responseHeaders["idempotency-replayed"] = "true"
    return yield* answerOf(outcome, status)
  })
})
