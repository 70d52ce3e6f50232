import type { Timestamp } from "../engine/Timestamp.ts"
import type { Rate } from "./Rate.ts"

/** How old a price may be that a limit is checked with. */
export const priceAgeMsMax = 300_000

/** A price that a limit may be checked with; null where there is none or it is too old, which is as good as none. */
export const freshPrice = (price: Rate | null, now: Timestamp): Rate | null =>
  price === null || now - price.observedAt > priceAgeMsMax ? null : price
