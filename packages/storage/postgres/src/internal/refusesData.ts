import { Predicate } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/**
 * Two keys that a column takes for one (21); data exceptions (22), such as a text or a number that its type cannot hold; broken constraints (23); a
 * table that is not as its mapping says, or must not be used (42); the check of a view (44); values beyond a limit, as of an index (54); what a
 * trigger raises (P0).
 */
const dataClasses: ReadonlySet<string> = new Set(["21", "22", "23", "42", "44", "54", "P0"])

/** What says nothing of the data: what is there already may be another's, who was quicker; and a session may have a statement prepared that was another's. */
const otherwise: ReadonlySet<string> = new Set(["23505", "42P05"])

/**
 * Whether the server has refused what a statement was to write. Then it has rolled back for certain, and refuses the same again. Not so for a
 * key that is there already.
 */
export const refusesData = ({ reason: { cause } }: SqlError): boolean =>
  Predicate.hasProperty(cause, "code") &&
  typeof cause.code === "string" &&
  !otherwise.has(cause.code) &&
  dataClasses.has(cause.code.slice(0, 2))
