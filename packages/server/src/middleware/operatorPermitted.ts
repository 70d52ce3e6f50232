import { RequiredRole, roleNeeded } from "@bursar/api/operator/RequiredRole"
import { apiError } from "@bursar/api/errors/ApiError"
import { holdsRole, Operator } from "@bursar/api/operator/Operator"
import { OperatorPermitted } from "@bursar/api/operator/OperatorPermitted"
import { Context, Effect, Layer } from "effect"

/** Checks the least role that the endpoint needs. */
export const layer = Layer.succeed(
  OperatorPermitted,
  OperatorPermitted.of((app, { endpoint }) => {
    const needed = roleNeeded(endpoint.method, Context.get(endpoint.annotations, RequiredRole))
    return Effect.gen(function* () {
      const { name, role } = yield* Operator
      if (holdsRole(role, needed)) return yield* app
      return yield* apiError("scope_missing", {
        message: `This needs the role ${needed}, and ${name} has the role ${role}.`,
        detail: { required_role: needed }
      })
    })
  })
)
