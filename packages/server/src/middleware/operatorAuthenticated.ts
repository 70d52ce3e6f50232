import { apiError } from "@bursar/api/errors/ApiError"
import { Operator } from "@bursar/api/operator/Operator"
import { OperatorAuthenticated } from "@bursar/api/operator/OperatorAuthenticated"
import { Effect, Layer, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { ServerConfig, type ServerSettings } from "../config/ServerConfig.ts"
import { CurrentRequest } from "../http/CurrentRequest.ts"
import { equalSecrets } from "../keys/hashKey.ts"

/** Says on whose behalf the shared token is used: for the records, and so that two people can be told apart. */
const nameHeader = "x-operator"

const nameForm = /^[\w.@-]{1,64}$/u

/**
 * Who a token belongs to, compared in constant time with each: an operator of the configuration, or, with the shared token,
 * an administrator under the name that the request gives.
 */
const operatorOf = ({ operatorToken, operators = [] }: ServerSettings, token: string, name: string | undefined) => {
  const named = operators.filter((one) => equalSecrets(one.token, token))
  const [first] = named
  if (first !== undefined) return Operator.of({ name: first.name, role: first.role })
  if (!equalSecrets(operatorToken, token)) return undefined
  return Operator.of({ name: name !== undefined && nameForm.test(name) ? name : "operator", role: "admin" })
}

/** Establishes who acts on the operator side. A viewer may read and nothing else. */
export const layer = Layer.effect(
  OperatorAuthenticated,
  Effect.map(ServerConfig, (settings) =>
    OperatorAuthenticated.of({
      operator: (app, { credential, endpoint }) =>
        Effect.gen(function* () {
          const facts = yield* CurrentRequest
          facts.route = `${endpoint.method} ${endpoint.path}`
          const token = Redacted.value(credential)
          if (token === "") return yield* apiError("key_missing")
          const { headers } = yield* HttpServerRequest.HttpServerRequest
          const operator = operatorOf(settings, token, headers[nameHeader])
          if (operator === undefined)
            return yield* apiError("key_invalid", { message: "The operator token is not valid." })
          if (operator.role === "viewer" && endpoint.method !== "GET")
            return yield* apiError("scope_missing", {
              message: "A viewer may read only.",
              detail: { required_scope: "operator" }
            })
          return yield* Effect.provideService(app, Operator, operator)
        })
    })
  )
)
