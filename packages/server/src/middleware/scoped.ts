import { Built } from "@bursar/api/annotations/Built"
import { RequiredScope } from "@bursar/api/annotations/RequiredScope"
import { apiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { Scoped } from "@bursar/api/middleware/Scoped"
import { Context, Effect, Layer } from "effect"
import { makeOverstepping } from "../keys/overstepping.ts"

/**
 * Checks the one scope that the endpoint needs. An endpoint of the contract that this release does not serve is then
 * answered as a product that is not enabled, before its body is read. What a key does not open is told of.
 */
export const layer = Layer.sync(Scoped, () => {
  const telling = makeOverstepping()
  return Scoped.of((app, { endpoint }) => {
    const scope = Context.get(endpoint.annotations, RequiredScope)
    const served = Context.get(endpoint.annotations, Built)
    return telling(
      Effect.gen(function* () {
        const { scopes } = yield* Caller
        if (scope !== null && !scopes.has(scope)) {
          return yield* apiError("scope_missing", { detail: { required_scope: scope } })
        }
        if (!served) return yield* apiError("product_not_enabled")
        return yield* app
      })
    )
  })
})
