import type { Timestamp } from "../base/Timestamp.ts"
import type { Rate } from "./Rate.ts"

/** How old a price or rate may be that anything is decided or told with. */
export const priceAgeMsMax = 300_000

/**
 * A price or rate that may be used; null where there is none, or it is zero or less, which would make money count for nothing, or it
 * is too old, or its moment is as far ahead of the clock: each is as good as none. Every decider that is handed one asks here,
 * whatever its source has promised.
 */
export const freshPrice = (price: Rate | null, now: Timestamp): Rate | null =>
  price === null || price.price.units <= 0n || Math.abs(now - price.observedAt) > priceAgeMsMax ? null : price
