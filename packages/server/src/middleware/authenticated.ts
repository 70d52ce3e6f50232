import { type ApiError, apiError } from "@bursar/api/errors/ApiError"
import type { Caller } from "@bursar/api/middleware/Caller"
import type { StorageError } from "@bursar/core/engine/StorageError"
import { RateLimits } from "@bursar/core/port/RateLimits"
import { Effect } from "effect"
import { Directory, type KnownKey, KeyUnverified } from "../keys/Directory.ts"
import type { Arrived, Check, MakeCheck } from "../http/Arrived.ts"
import { comesLate, receiveRest } from "./bodySize.ts"
import { pass } from "../http/Step.ts"
import { checkingFor } from "./checking.ts"
import { failLogin } from "./failedLogins.ts"

const makeCaller = ({ key, scopes, tenant }: KnownKey): Caller["Service"] => ({
  tenantId: tenant.id,
  tenantSlug: tenant.slug,
  tenantKind: tenant.kind,
  keyId: key.id,
  keyPrefix: key.prefix,
  keyLabel: key.label,
  scopes
})

const callers = new WeakMap<KnownKey, Caller["Service"]>()

/** The caller with a key: the same object for as long as what is known of the key is the same, for whoever derives something from it. */
const callerOf = (known: KnownKey): Caller["Service"] => {
  const caller = callers.get(known) ?? makeCaller(known)
  callers.set(known, caller)
  return caller
}

/** The credential of a bearer (RFC 9110, section 11.4); the empty text where there is none. */
const bearerOf = (authorization: string | undefined): string => /^bearer +(.+)$/iu.exec(authorization ?? "")?.[1] ?? ""

/**
 * Takes the bearer key to its tenant. A key that is unknown, revoked, or used from an address that its tenant does not
 * list is answered alike; then the tenant must be active. It is looked at again when a body has come that was waited for. Failures are limited per client address.
 */
export const make: Effect.Effect<MakeCheck, never, Directory | RateLimits> = Effect.gen(function* () {
  const directory = yield* Directory
  const rates = yield* RateLimits

  const refuse = (error: ApiError, { clock, facts, request }: Arrived) =>
    failLogin(rates, {
      subject: "auth",
      address: facts.clientAddress,
      error,
      method: request.method,
      now: clock.currentTimeMillisUnsafe()
    })

  const judge = (arrived: Arrived, known: KnownKey | undefined): Effect.Effect<undefined, ApiError> => {
    const { facts } = arrived
    if (known === undefined || !known.admits(facts.clientAddress)) return refuse(apiError("key_invalid"), arrived)
    facts.tenant = known.tenant
    if (known.tenant.status !== "ACTIVE") return Effect.fail(apiError("tenant_suspended"))
    arrived.caller = callerOf(known)
    return pass
  }

  const check: Check = (arrived) => {
    const text = bearerOf(arrived.request.headers["authorization"])
    if (text === "") return refuse(apiError("key_missing"), arrived)
    const found = Effect.catchEager(
      directory.authenticate(text, arrived.clock.currentTimeMillisUnsafe()),
      (error): Effect.Effect<never, StorageError | ApiError> =>
        error instanceof KeyUnverified
          ? Effect.fail(apiError("provider_unavailable", { message: "Your key cannot be verified at the moment." }))
          : Effect.fail(error)
    )
    return Effect.flatMapEager(checkingFor(found, arrived.request.method), (known) => judge(arrived, known))
  }

  // what was true when the head came may be so no more when the body has
  return () => (arrived) =>
    Effect.flatMapEager(check(arrived), () =>
      comesLate(arrived.request) ? Effect.flatMap(receiveRest(arrived), () => check(arrived)) : pass
    )
})
