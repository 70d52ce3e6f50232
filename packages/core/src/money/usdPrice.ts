import type { Timestamp } from "../base/Timestamp.ts"
import type { Currency } from "./Currency.ts"
import { freshPrice } from "./freshPrice.ts"
import type { Rate } from "./Rate.ts"

/**
 * What one whole unit of a currency is worth in US dollars, by the price that a source told; null where that is no fresh one. A dollar is
 * a dollar, whatever a source tells of it.
 */
export const usdPrice = (currency: Pick<Currency, "code" | "kind">, told: Rate | null, now: Timestamp): Rate | null =>
  currency.kind === "FIAT" && currency.code === "USD"
    ? { price: { units: 1n, decimals: 0 }, source: "par", observedAt: now }
    : freshPrice(told, now)
