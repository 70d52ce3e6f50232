import { Built } from "@bursar/api/annotations/Built"
import { RequiredScope } from "@bursar/api/annotations/RequiredScope"
import { apiError } from "@bursar/api/errors/ApiError"
import { Context, Effect } from "effect"
import { callerOf, type MakeCheck } from "../http/Arrived.ts"
import { pass } from "../http/Step.ts"

/**
 * Checks the one scope that the endpoint needs. An endpoint of the contract that this release does not serve is then
 * answered as a product that is not enabled, before its body is read.
 */
export const make: MakeCheck = ({ annotations }) => {
  const scope = Context.get(annotations, RequiredScope)
  const served = Context.get(annotations, Built)
  return (arrived) => {
    if (scope !== null && !callerOf(arrived).scopes.has(scope))
      return Effect.fail(apiError("scope_missing", { detail: { required_scope: scope } }))
    return served ? pass : Effect.fail(apiError("product_not_enabled"))
  }
}
