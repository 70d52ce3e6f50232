import type { Violation } from "./Invariant.ts"

/** What a step finds; a row that a rule cannot make sense of, such as a text where a number has to be, is a finding too. */
export const judging = (step: () => Violation, row: unknown): Violation => {
  try {
    return step()
  } catch (error) {
    return `${nameOf(row)} makes no sense: ${error instanceof Error ? error.message : String(error)}`
  }
}

const namingFields = ["id", "operationId", "hash", "key", "scope", "resourceId", "account"] as const

/** A row in words, by the first of its fields that names it. */
const nameOf = (row: unknown): string => {
  if (typeof row !== "object" || row === null) return "what was read"
  const fields = row as { readonly [field: string]: unknown } // an object that is not null
  const field = namingFields.find((one) => typeof fields[one] === "string" || typeof fields[one] === "number")
  return field === undefined ? "a row" : `the row of ${String(fields[field])}`
}
