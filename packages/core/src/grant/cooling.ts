import type { Timestamp } from "../base/Timestamp.ts"
import { type Cooling, type Granted, grantedCoolingHours as hoursOf, type TenantState } from "./GrantState.ts"

const hourMs = 3_600_000

/** What of a grant has to cool, from the state that it follows on and the one that it makes; undefined where nothing has. */
export const coolingOf = (before: TenantState, after: TenantState, grant: Granted): Cooling | undefined => {
  const { document, hash, number } = grant
  const forMs = hoursOf(before) * hourMs
  if (document.kind === "destination" && document.values.state === "ACTIVE" && forMs > 0)
    return { number, hash, forMs, says: "destination" }
  return document.kind === "policy" && hoursOf(after) < hoursOf(before)
    ? { number, hash, forMs, says: "shorter_wait" }
    : undefined
}

/**
 * From when on a granted destination receives by whoever has seen the chain grow, and when. `seenAt` gives the moment at which a grant was first seen;
 * undefined for one that was known before anybody looked, of which the documents alone say when.
 *
 * **Details**
 *
 * A document says when it was proposed, and people who sign it can be mistaken, or their keys stolen: so the waiting time counts from when
 * it was seen. A shorter waiting time counts for those that follow once the longer one has passed since it was seen: who could shorten it at once
 * would have none.
 */
export const receivesFrom = (
  { cooling }: Pick<TenantState, "cooling">,
  { since, values }: Pick<Granted<"destination">, "since" | "values">,
  seenAt: (grant: Cooling) => Timestamp | undefined
): Timestamp => {
  const waits = cooling.filter(({ number, says }) => (says === "destination" ? number === since : number < since))
  const cooled = waits.flatMap((one) => {
    const at = seenAt(one)
    return at === undefined ? [] : at + one.forMs
  })
  return Math.max(Date.parse(values.usable_from), ...cooled)
}
