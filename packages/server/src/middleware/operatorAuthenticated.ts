import { apiError } from "@bursar/api/errors/ApiError"
import { Operator } from "@bursar/api/operator/Operator"
import { OperatorAuthenticated } from "@bursar/api/operator/OperatorAuthenticated"
import { Effect, Layer, Redacted } from "effect"
import { ServerConfig } from "../config/ServerConfig.ts"
import { CurrentRequest } from "../http/CurrentRequest.ts"
import { equalSecrets } from "../keys/hashKey.ts"

/** There is one token, so there is one operator, who may do everything. */
const operator = Operator.of({ name: "operator", role: "admin" })

/** Compares the bearer token with the configured one, in constant time. */
export const layer = Layer.effect(
  OperatorAuthenticated,
  Effect.map(ServerConfig, ({ operatorToken }) =>
    OperatorAuthenticated.of({
      operator: (app, { credential, endpoint }) =>
        Effect.gen(function* () {
          const facts = yield* CurrentRequest
          facts.route = `${endpoint.method} ${endpoint.path}`
          const token = Redacted.value(credential)
          if (token === "") return yield* apiError("key_missing")
          if (!equalSecrets(operatorToken, token))
            return yield* apiError("key_invalid", { message: "The operator token is not valid." })
          return yield* Effect.provideService(app, Operator, operator)
        })
    })
  )
)
