import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import { Authenticated } from "@bursar/api/middleware/Authenticated"
import { Caller } from "@bursar/api/middleware/Caller"
import type { StorageError } from "@bursar/core/port/StorageError"
import { RateLimits } from "@bursar/core/port/RateLimits"
import { Clock, Effect, Layer, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { addressGroup } from "../http/clientAddress.ts"
import { CurrentRequest } from "../http/CurrentRequest.ts"
import { Directory, type KnownKey } from "../keys/Directory.ts"
import { cannotRead, cannotWrite } from "../refusals.ts"

/** How many failed authentications per minute an address is told of before it is told to wait. */
export const failedAuthenticationsPerMinute = 60

/** Answers for the storage where a check could not be made; nothing has been done for the request yet. */
export const checking = <A, R>(effect: Effect.Effect<A, StorageError, R>) =>
  Effect.catchTag(effect, "StorageError", (error) =>
    Effect.gen(function* () {
      yield* Effect.logError(error.message, error.cause)
      const { method } = yield* HttpServerRequest.HttpServerRequest
      return yield* method === "GET" ? cannotRead() : cannotWrite()
    })
  )

const callerOf = ({ key, scopes, tenant }: KnownKey): Caller["Service"] => ({
  tenantId: tenant.id,
  tenantSlug: tenant.slug,
  tenantKind: tenant.kind,
  keyId: key.id,
  keyPrefix: key.prefix,
  keyLabel: key.label,
  scopes
})

/**
 * Takes the bearer key to its tenant. A key that is unknown, revoked, or used from an address that its tenant does not
 * list is answered alike; then the tenant must be active. Failures are limited per client address.
 */
export const layer = Layer.effect(
  Authenticated,
  Effect.gen(function* () {
    const directory = yield* Directory
    const rates = yield* RateLimits

    const refuse = Effect.fnUntraced(function* (error: ApiError, address: string) {
      const subject = `auth:${addressGroup(address)}`
      const now = yield* Clock.currentTimeMillis
      const decision = yield* checking(rates.take([{ subject, limit: failedAuthenticationsPerMinute }], now))
      if (decision._tag === "Allowed") return yield* error
      const { limit, retryAfterSeconds } = decision
      return yield* apiError("rate_limited", { retryAfterSeconds, detail: { limit_per_minute: limit } })
    })

    const authenticate = Effect.fnUntraced(function* (credential: Redacted.Redacted, route: string) {
      const facts = yield* CurrentRequest
      facts.route = route
      const text = Redacted.value(credential)
      if (text === "") return yield* refuse(apiError("key_missing"), facts.clientAddress)
      const known = yield* checking(directory.authenticate(text))
      if (known === undefined || !known.admits(facts.clientAddress)) {
        return yield* refuse(apiError("key_invalid"), facts.clientAddress)
      }
      facts.tenant = known.tenant
      if (known.tenant.status !== "ACTIVE") return yield* apiError("tenant_suspended")
      return callerOf(known)
    })

    return Authenticated.of({
      bearer: (app, { credential, endpoint }) =>
        Effect.flatMap(authenticate(credential, `${endpoint.method} ${endpoint.path}`), (caller) =>
          Effect.provideService(app, Caller, caller)
        )
    })
  })
)
