import type { Amount } from "../money/Amount.ts"

/** What is to come, or has come, for an ON_RAMP that is not booked: what the provider says, where it does. */
export const comingOf = (announced: Amount, received: Amount | null): Amount =>
  received === null || received.units <= 0n ? announced : received
