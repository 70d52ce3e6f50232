import { Predicate } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/** Two keys that a column takes for one (21); data exceptions (22), such as a text or a number that its type cannot hold; broken constraints (23); values beyond a limit, as of an index (54). */
const dataClasses: ReadonlySet<string> = new Set(["21", "22", "23", "54"])

/** What is there already may be another's, who was quicker: it says nothing of the data. */
const uniqueViolation = "23505"

/**
 * Whether the server has refused what a statement was to write. Then it has rolled back for certain, and refuses the same again. Not so for a
 * key that is there already.
 */
export const refusesData = ({ reason: { cause } }: SqlError): boolean =>
  Predicate.hasProperty(cause, "code") &&
  typeof cause.code === "string" &&
  cause.code !== uniqueViolation &&
  dataClasses.has(cause.code.slice(0, 2))
