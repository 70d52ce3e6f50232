import { Context } from "effect"
import type { OperatorRole } from "./Operator.ts"

/** The least role that an operator endpoint needs; null where its method tells: `viewer` to read, else `operator`. */
export const RequiredRole = Context.Reference<OperatorRole | null>("@bursar/api/RequiredRole", {
  defaultValue: () => null
})

/** The least role that an endpoint of this method and annotation needs. */
export const roleNeeded = (method: string, role: OperatorRole | null): OperatorRole =>
  role ?? (method === "GET" ? "viewer" : "operator")
