import { type Direction, raisedPolicy, saferPolicy } from "./direction.ts"
import type { GrantDocument } from "./GrantDocument.ts"
import type { PolicyValues } from "./PolicyValues.ts"

/** What a grant does to what may be lost, and the values that it replaces. */
export interface JudgedGrant {
  readonly direction: Direction
  /** Undefined where no grant has named its subject. */
  readonly before: GrantDocument["values"] | undefined
}

/** What a tenant's row says by a policy. Only one that repeats its chain puts back all that operators have lowered without a grant. */
export const policyOver = (row: PolicyValues, to: PolicyValues, { before, direction }: JudgedGrant): PolicyValues => {
  if (direction === "lowers") return saferPolicy(to, row)
  if (direction === "changes_nothing" || before === undefined) return to
  return raisedPolicy(row, { from: before as PolicyValues, to }) // what a policy replaces is one
}
