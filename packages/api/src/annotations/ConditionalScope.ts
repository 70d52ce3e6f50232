import { Context } from "effect"
import type { Scope } from "../scopes/Scopes.ts"

/** A second scope that an endpoint needs only when a field of the body is given and not null. */
export interface FieldScope {
  /** The scope then needed. */
  readonly scope: Scope
  /** The top-level field of the body that calls for it. */
  readonly whenField: string
}

/** The scope that an endpoint needs in addition, depending on its body; checked by the handler. */
export const ConditionalScope = Context.Reference<FieldScope | null>("@bursar/api/ConditionalScope", {
  defaultValue: () => null
})
