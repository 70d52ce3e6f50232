import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import { type Operator, operatorNamePattern, sharedOperatorName } from "@bursar/api/operator/Operator"
import { IdentityTokens } from "@bursar/core/port/IdentityTokens"
import type { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import type { RateLimits } from "@bursar/core/port/RateLimits"
import type { Timestamp } from "@bursar/core/base/Timestamp"
import { Clock, Effect, Result } from "effect"
import { ServerConfig, type ServerSettings } from "../config/ServerConfig.ts"
import { equalSecrets } from "../keys/hashKey.ts"
import { ownerOf } from "../keys/operatorTokens.ts"
import type { Sessions } from "../identity/Sessions.ts"
import { looksSigned, operatorByIdentity } from "./operatorByIdentity.ts"
import { recordRefusal } from "./recordSignIn.ts"

const refused = (message: string): Result.Result<never, ApiError> =>
  Result.fail(apiError("invalid_request", { message }))

/** The name that a request gives beside the token that operators share. */
const nameOf = (given: string | undefined): Result.Result<string, ApiError> => {
  const name = given?.toLowerCase() ?? sharedOperatorName
  return name === sharedOperatorName || operatorNamePattern.test(name)
    ? Result.succeed(name)
    : refused("X-Operator is a name of 1 to 64 letters, digits and . _ @ -, a letter or digit first.")
}

const invalid = (message: string): Result.Result<never, ApiError> => Result.fail(apiError("key_invalid", { message }))

/** Refuses who states another's name beside the own credential, and writes that down: it is no slip of somebody who has forgotten a token. */
const ownName = Effect.fnUntraced(function* (name: string, given: string | undefined) {
  if (given === undefined || given.toLowerCase() === name) return
  const message = `This token is that of ${name}, and X-Operator names somebody else.`
  yield* recordRefusal(422, { reason: message, stated: given })
  yield* Effect.fromResult(refused(message))
})

/**
 * Who a token belongs to: an operator of the configuration or, where it names none, an administrator under the name that the request
 * gives beside the shared token. Where people have credentials of their own the shared one is nobody's.
 */
const operatorByToken = (
  { operators = [], operatorToken, signIn = null }: ServerSettings,
  token: string,
  { given, now }: { readonly given: string | undefined; readonly now: Timestamp }
): Result.Result<Operator["Service"], ApiError> => {
  const known = ownerOf(operators, token)
  if (known !== undefined) {
    const { expiresAt, name, role } = known
    if (expiresAt !== null && expiresAt <= now) return invalid("The operator token has expired.")
    return Result.succeed({ name, role, credential: "token", expiresAt })
  }
  const isShared = operatorToken !== null && operators.length === 0 && signIn === null
  if (!isShared || !equalSecrets(operatorToken, token)) return invalid("The operator token is not valid.")
  return Result.map(nameOf(given), (name) => ({ name, role: "admin", credential: "shared_token", expiresAt: null }))
}

/** Finds out whose a bearer token is: one of the configuration, or one of the identity provider where there is one. Refusals are written down. */
export const makeOperatorByToken = Effect.gen(function* () {
  const settings = yield* ServerConfig
  const verifier = yield* IdentityTokens
  const services = yield* Effect.context<OperatorAudit | RateLimits | Sessions>()
  const { signIn: policy = null } = settings
  /** `given` is the name that the request gives beside the token. */
  return Effect.fnUntraced(function* (token: string, given: string | undefined) {
    const operator = operatorByToken(settings, token, { given, now: yield* Clock.currentTimeMillis })
    const isSigned = Result.isFailure(operator) && looksSigned(token)
    if (isSigned && verifier !== null && policy !== null) {
      const identified = yield* operatorByIdentity({ policy, verifier }, token)
      yield* ownName(identified.operator.name, given)
      return identified
    }
    if (Result.isFailure(operator)) {
      const { code, message } = operator.failure.error
      if (code === "key_invalid") yield* recordRefusal(401, { reason: message })
      return yield* Effect.fail(operator.failure)
    }
    yield* ownName(operator.success.name, given)
    return { operator: operator.success, session: null }
  }, Effect.provide(services))
})
