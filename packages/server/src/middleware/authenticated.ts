import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import { Authenticated } from "@bursar/api/middleware/Authenticated"
import { Caller } from "@bursar/api/middleware/Caller"
import { RateLimits } from "@bursar/core/port/RateLimits"
import { Effect, Layer, Redacted } from "effect"
import { CurrentRequest } from "../http/CurrentRequest.ts"
import { Directory, type KnownKey } from "../keys/Directory.ts"
import { receiveUnmeasured } from "./bodySize.ts"
import { checking } from "./checking.ts"
import { failLogin } from "./failedLogins.ts"

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

    const refuse = (error: ApiError, address: string) => failLogin(rates, "auth", address, error)

    const authenticate = Effect.fnUntraced(function* (credential: Redacted.Redacted, route: string) {
      const facts = yield* CurrentRequest
      facts.route = route
      const text = Redacted.value(credential)
      if (text === "") return yield* refuse(apiError("key_missing"), facts.clientAddress)
      const known = yield* directory.authenticate(text).pipe(
        Effect.catchTag("KeyUnverified", () => Effect.succeed("unverified" as const)),
        checking
      )
      if (known === "unverified")
        return yield* apiError("provider_unavailable", { message: "Your key cannot be verified at the moment." })
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
          Effect.andThen(receiveUnmeasured, Effect.provideService(app, Caller, caller))
        )
    })
  })
)
