import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import type { Operator } from "@bursar/api/operator/Operator"
import { OperatorSession } from "@bursar/api/operator/SessionGroup"
import { OperatorSessions } from "@bursar/core/port/OperatorSessions"
import { RateLimits } from "@bursar/core/port/RateLimits"
import { Clock, Effect, Result, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { makePass, operatorOfPass } from "../../../middleware/operatorPass.ts"
import { cookieOptions, sessionCookie } from "../../../identity/sessionCookie.ts"
import { hashToken } from "../../../keys/operatorTokens.ts"
import { checking } from "../../../middleware/checking.ts"
import { failOperatorLogin } from "../../../middleware/failedLogins.ts"
import { makeOperatorByToken } from "../../../middleware/operatorByToken.ts"
import { recordRefusal, recordSignIn } from "../../../middleware/recordSignIn.ts"
import { sessionToWire } from "./toWire.ts"

const encode = Schema.encodeSync(OperatorSession)

const options = { uninterruptible: true }

/** Signs browsers in. Each is written down before the session begins. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "signIn",
  Effect.fnUntraced(function* (handlers) {
    const settings = yield* ServerConfig
    const passes = yield* OperatorSessions
    const rates = yield* RateLimits
    const byToken = yield* makeOperatorByToken

    /** A link is taken before it is looked at: it is good once, whatever comes of it. */
    const byCode = Effect.fnUntraced(function* (code: string) {
      const pass = yield* checking(passes.take(hashToken(code), "LINK"))
      const now = yield* Clock.currentTimeMillis
      const operator = operatorOfPass(settings, pass, { kind: "LINK", now })
      if (Result.isFailure(operator)) yield* recordRefusal(401, { reason: operator.failure.error.message })
      return yield* Effect.fromResult(operator)
    })

    const refuse = (error: ApiError) =>
      error.error.code === "key_invalid" ? failOperatorLogin(rates, error) : Effect.fail(error)

    const begin = Effect.fnUntraced(function* (operator: Operator["Service"]) {
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const now = yield* Clock.currentTimeMillis
      const { pass, secret } = yield* Effect.fromResult(makePass(settings, { kind: "SESSION", now, operator }))
      yield* checking(recordSignIn(operator, { session: pass.digest, credential: operator.credential }))
      yield* checking(passes.add(pass))
      const body = encode(sessionToWire({ ...operator, expiresAt: pass.expiresAt }))
      const maxAge = Math.floor((pass.expiresAt - now) / 1_000)
      return HttpServerResponse.jsonUnsafe(body).pipe(
        HttpServerResponse.setCookieUnsafe(sessionCookie, secret, {
          ...cookieOptions(headers),
          maxAge: `${maxAge} seconds`
        })
      )
    })

    return handlers.handleAll({
      enter: {
        options,
        handler: ({ payload }) =>
          Effect.gen(function* () {
            const { headers } = yield* HttpServerRequest.HttpServerRequest
            const site = headers["sec-fetch-site"]
            if (site !== undefined && site !== "same-origin" && site !== "none")
              return yield* apiError("key_invalid", { message: "Another site asked for this." })
            const operator =
              "code" in payload ? yield* byCode(payload.code) : (yield* byToken(payload.token, undefined)).operator
            return yield* begin(operator)
          }).pipe(Effect.catch(refuse))
      }
    })
  })
)
