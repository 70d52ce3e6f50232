import { Context } from "effect"
import type { Scope } from "../scopes/Scopes.ts"

/** The one scope that an endpoint needs; null where any valid key will do. */
export const RequiredScope = Context.Reference<Scope | null>("@bursar/api/RequiredScope", {
  defaultValue: () => null
})
