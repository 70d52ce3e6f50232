import { AnyTextAt } from "@bursar/api/annotations/AnyTextAt"
import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import { isErrorCode } from "@bursar/api/errors/Catalogue"
import { type EndpointRoute, type RoutedEndpoint, routeOf } from "@bursar/api/annotations/routeOf"
import { VerifiedSignature } from "@bursar/api/middleware/VerifiedSignature"
import { unstorableText } from "@bursar/core/base/unstorableText"
import { rulingOf } from "@bursar/core/grant/Ruling"
import { underGrants } from "@bursar/core/grant/leavingByGrants"
import type { Command } from "@bursar/core/engine/Command"
import type { Json } from "@bursar/core/base/Json"
import { Writer } from "@bursar/core/engine/Writer"
import type { IdempotencyRecord, StoredOutcome } from "@bursar/core/idempotency/IdempotencyRecord"
import {
  alreadyRecorded,
  type IdempotentCommand,
  type IdempotentReply,
  idempotent,
  replayOf
} from "@bursar/core/idempotency/idempotent"
import { Queries } from "@bursar/core/store/Queries"
import { type NameRegistration, signedIdempotent } from "@bursar/core/signature/signedIdempotent"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Context, Effect, Exit, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import { CurrentRequest } from "../http/CurrentRequest.ts"
import { orUnavailable, refusalError, refusalOptions, submitPrepared, writing } from "../refusals.ts"
import { toRequestSignature } from "../signature/evidence.ts"
import { canonicalJson, fingerprintOf } from "./canonicalJson.ts"
import { requireKey } from "./idempotencyKey.ts"
import { InFlight } from "./InFlight.ts"

/**
 * Prepares a command from what is stored and what prices, nodes, providers and custodians say. Called only where the key has
 * no record, and again, told how often it was called before, where what the command was prepared from has changed.
 */
export type Prepare<A> = (attempt: number) => Effect.Effect<Command<A>, ApiError>

/** A request that is to have its effect at most once. */
export interface IdempotentRequest<A> {
  /** The endpoint as the contract has it: its name is stored with the key, and its status is that of success. */
  readonly endpoint: RoutedEndpoint
  /** The parameters of the path, where it has any. */
  readonly params?: Readonly<Record<string, string>>
  readonly tenantId: string
  /** The `Idempotency-Key` header as it came. */
  readonly keyHeader: string | undefined
  readonly payload: unknown
  readonly prepare: Prepare<A>
  readonly render: (reply: A) => Json
  readonly resourceId?: (reply: A) => string | null
  /** Looks at an answer before it is given, for the first time or again: what is stored may have been changed since. */
  readonly shows?: (body: Json) => Effect.Effect<void, ApiError>
  /** Whether it registers what is shown by it later: a signed request is kept then. */
  readonly registers?: NameRegistration
  /** Whether it may have money leave: then it has to be granted. */
  readonly leaves?: true
}

/** What the fingerprint says of the path: the path itself or, where it has parameters, the endpoint's name and their values. */
const placeOf = ({ name, path }: EndpointRoute, params: Readonly<Record<string, string>>): string => {
  if (!path.includes("{")) return path
  const values = Array.from(path.matchAll(/\{(\w+)\}/gu), ([, parameter = ""]) => params[parameter] ?? "")
  return [name, ...values].join(" ")
}

/** The record of a request that was answered before: nothing has to be prepared for it. */
class Recorded {
  readonly record: IdempotencyRecord

  constructor(record: IdempotencyRecord) {
    this.record = record
  }
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
 * What carries out a request under its idempotency key, over the services of the handler's layer, and gives its outcome. The
 * key is looked up before the command is prepared, for every endpoint alike: what was answered once is answered again though
 * prices, nodes and providers are gone. Effect, record and answer are one commit. A rival waits for the first for two seconds.
 * Where the request is signed, its nonce is used up in the same commit; what `Signed` has verified cannot be forgotten here.
 *
 * `owner` is put before the keys of all that is not a partner's request, so that the two never meet.
 */
export const makeIdempotent = (owner = "") =>
  Effect.gen(function* () {
    const writer = yield* Writer
    const inFlight = yield* InFlight
    const queries = yield* Queries
    return Effect.fnUntraced(function* <A>(request: IdempotentRequest<A>) {
      const problem = unstorableText(request.payload, "body", Context.get(request.endpoint.annotations, AnyTextAt))
      if (problem !== undefined)
        return yield* apiError("invalid_request", { fields: [{ ...problem, code: "invalid_request" }] })
      const key = `${owner}${yield* Effect.fromResult(requireKey(request.keyHeader))}`
      const tenantId = TenantId(request.tenantId)
      const route = routeOf(request.endpoint)
      const work: Omit<IdempotentCommand<A>, "command"> = {
        key,
        endpoint: route.name,
        fingerprint: fingerprintOf(route.method, placeOf(route, request.params ?? {}), request.payload),
        render: request.render,
        ...(request.resourceId === undefined ? {} : { resourceId: request.resourceId })
      }
      const verified = yield* Effect.serviceOption(VerifiedSignature)
      const signature = Option.isNone(verified) ? undefined : yield* toRequestSignature(tenantId, verified.value)
      const once = (command: Command<A>) =>
        signature === undefined
          ? idempotent({ ...work, command })
          : signedIdempotent(signature, {
              ...work,
              command,
              ...(request.registers && { registers: request.registers })
            })
      const granted = (prepared: Effect.Effect<Command<A>, ApiError>) =>
        request.leaves === undefined
          ? prepared
          : Effect.flatMap(prepared, (command) =>
              Effect.map(orUnavailable(rulingOf(tenantId)), (ruling) => underGrants(ruling, command))
            )
      const prepare = (attempt: number): Effect.Effect<Command<A>, ApiError | Recorded> => {
        const prepared = granted(request.prepare(attempt))
        // a command that is there without running anything has asked nobody, so reading its record in the commit is enough
        if (Exit.isExit(prepared)) return prepared
        return Effect.flatMap(
          writing(queries.idempotencyRecord(tenantId, key)),
          (record): Effect.Effect<Command<A>, ApiError | Recorded> => {
            if (record === undefined) return prepared
            // a record stays as it is, so what it says needs no commit; whether a nonce was used before is decided in one
            return signature === undefined ? Effect.fail(new Recorded(record)) : Effect.succeed(alreadyRecorded)
          }
        )
      }
      const submitted = submitPrepared(writer, tenantId, (attempt) => Effect.map(prepare(attempt), once), {
        keyed: true
      })
      const answered: Effect.Effect<IdempotentReply, ApiError> = Effect.catch(submitted, (error) =>
        error instanceof Recorded
          ? Effect.catch(Effect.fromResult(replayOf(error.record, work.fingerprint)), refusalError)
          : Effect.fail(error)
      )
      const reply = yield* inFlight.oneAtATime(`${tenantId} ${key}`, answered, () => apiError("idempotency_in_flight"))
      if (reply.replayed) (yield* CurrentRequest).responseHeaders["idempotency-replayed"] = "true"
      return reply
    })
  })

/**
 * What answers a partner's request under its idempotency key (`makeIdempotent`): the same request again gets the same answer,
 * to the byte, with `Idempotency-Replayed: true`.
 */
export const handleIdempotent = Effect.map(
  makeIdempotent(),
  (carryOut) =>
    <A>(request: IdempotentRequest<A>) =>
      carryOut(request).pipe(
        Effect.tap(
          ({ outcome }) => (outcome._tag === "Done" ? request.shows?.(outcome.body) : undefined) ?? Effect.void
        ),
        Effect.flatMap(({ outcome }) => answerOf(outcome, routeOf(request.endpoint).status))
      )
)
