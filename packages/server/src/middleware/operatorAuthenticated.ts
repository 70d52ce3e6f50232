import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import { Operator, operatorNamePattern, sharedOperatorName } from "@bursar/api/operator/Operator"
import { OperatorAuthenticated } from "@bursar/api/operator/OperatorAuthenticated"
import { RateLimits } from "@bursar/core/port/RateLimits"
import { Effect, Layer, Redacted, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import { ServerConfig, type ServerSettings } from "../config/ServerConfig.ts"
import { CurrentRequest } from "../http/CurrentRequest.ts"
import { equalSecrets } from "../keys/hashKey.ts"
import { receiveUnmeasured } from "./bodySize.ts"
import { failLogin } from "./failedLogins.ts"

/** Says on whose behalf the shared token is used: for the records, and so that two people can be told apart. */
const nameHeader = "x-operator"

const refused = (message: string): Result.Result<never, ApiError> =>
  Result.fail(apiError("invalid_request", { message }))

/** The name that a request gives beside a token that does not tell one. */
const nameOf = (given: string | undefined, named: boolean): Result.Result<string, ApiError> => {
  const name = given?.toLowerCase() ?? sharedOperatorName
  if (name === sharedOperatorName) return Result.succeed(name)
  // where people have tokens of their own, nobody else can act in their names, nor in two names at once
  if (named) return refused(`Operators have tokens of their own here: the shared token acts as ${sharedOperatorName}.`)
  return operatorNamePattern.test(name)
    ? Result.succeed(name)
    : refused("X-Operator is a name of 1 to 64 letters, digits and . _ @ -, a letter or digit first.")
}

/**
 * Who a token belongs to, compared in constant time with each: an operator of the configuration or, with the shared token,
 * an administrator under the name that the request gives. Undefined where it is nobody's.
 */
const operatorOf = (
  { operatorToken, operators = [] }: ServerSettings,
  token: string,
  given: string | undefined
): Result.Result<Operator["Service"], ApiError> | undefined => {
  // every token is compared, so that nobody can tell from the time which one came near
  const equal = operators.map((one) => equalSecrets(one.token, token))
  const known = operators[equal.indexOf(true)]
  if (known !== undefined) {
    const { name, role } = known
    return given === undefined || given.toLowerCase() === name
      ? Result.succeed({ name, role })
      : refused(`This token is that of ${name}, and X-Operator names somebody else.`)
  }
  if (!equalSecrets(operatorToken, token)) return undefined
  return Result.map(nameOf(given, operators.length > 0), (name) => ({ name, role: "admin" as const }))
}

/** Establishes who acts on the operator side. Failures are limited per client address. */
export const layer = Layer.effect(
  OperatorAuthenticated,
  Effect.gen(function* () {
    const settings = yield* ServerConfig
    const rates = yield* RateLimits
    const authenticate = Effect.fnUntraced(function* (token: string, route: string) {
      const facts = yield* CurrentRequest
      facts.route = route
      const refuse = (error: ApiError) => failLogin(rates, "operator-auth", facts.clientAddress, error)
      if (token === "") return yield* refuse(apiError("key_missing"))
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const operator = operatorOf(settings, token, headers[nameHeader])
      if (operator === undefined)
        return yield* refuse(apiError("key_invalid", { message: "The operator token is not valid." }))
      return yield* Effect.fromResult(operator)
    })
    return OperatorAuthenticated.of({
      operator: (app, { credential, endpoint }) =>
        Effect.flatMap(authenticate(Redacted.value(credential), `${endpoint.method} ${endpoint.path}`), (operator) =>
          Effect.andThen(receiveUnmeasured, Effect.provideService(app, Operator, Operator.of(operator)))
        )
    })
  })
)
