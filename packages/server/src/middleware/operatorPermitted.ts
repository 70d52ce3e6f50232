import { RequiredRole, roleNeeded } from "@bursar/api/operator/RequiredRole"
import { apiError } from "@bursar/api/errors/ApiError"
import { shownHeader } from "@bursar/api/operator/consoleSession"
import { holdsRole, Operator, operatorNamePattern } from "@bursar/api/operator/Operator"
import { OperatorPermitted } from "@bursar/api/operator/OperatorPermitted"
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { noteAction } from "./actionNotes.ts"

/** Refuses what a page asks for that shows another operator than the one who is signed in by now. */
const asShown = Effect.gen(function* () {
  const { name } = yield* Operator
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const shown = headers[shownHeader]
  if (shown === undefined || shown === name) return
  if (operatorNamePattern.test(shown)) yield* noteAction({ shown })
  return yield* apiError("another_operator", {
    message: `${name} is signed in in this browser by now, and the page shows somebody else. Nothing was done.`,
    detail: { operator: name }
  })
})

/** Checks that an action is asked for by whom its page shows, and the least role that the endpoint needs. */
export const layer = Layer.succeed(
  OperatorPermitted,
  OperatorPermitted.of((app, { endpoint }) => {
    const needed = roleNeeded(endpoint.method, Context.get(endpoint.annotations, RequiredRole))
    return Effect.gen(function* () {
      if (endpoint.method !== "GET") yield* asShown
      const { name, role } = yield* Operator
      if (holdsRole(role, needed)) return yield* app
      return yield* apiError("scope_missing", {
        message: `This needs the role ${needed}, and ${name} has the role ${role}.`,
        detail: { required_role: needed }
      })
    })
  })
)
