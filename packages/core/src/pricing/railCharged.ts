import type { Currency } from "../money/Currency.ts"
import type { Product } from "./Product.ts"

/** Other names of rails. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ["FASTER_PAYMENTS", "FPS"],
  ["FEDWIRE", "WIRE"]
])

const usualRails: ReadonlyMap<string, string> = new Map([
  ["EUR", "SEPA"],
  ["GBP", "FPS"],
  ["USD", "ACH"]
])

/** The rail that a bank payment in a currency takes where none is named. */
export const usualRail = (currency: string): string => usualRails.get(currency) ?? "SWIFT"

/** Whether two names are of the same rail, however they are written. */
export const isSameRail = (one: string, other: string): boolean => {
  const name = (text: string) => otherNames.get(text.toUpperCase()) ?? text.toUpperCase()
  return name(one) === name(other)
}

/** What decides which rail an operation takes. */
export interface RailUse {
  readonly product: Product
  /** The rail that was named; null where none was. */
  readonly named: string | null
  /** The currency of the amount. */
  readonly from: Pick<Currency, "asset">
  /** The currency that moves at the bank; undefined where it is not known. */
  readonly to: Pick<Currency, "code" | "kind"> | undefined
}

/**
 * The rail that an operation takes and is charged by, whatever its partner names: the network of what moves on a chain, none of a swap, and for what
 * moves at a bank the one that is named, else the usual one of its currency. Null where it takes none, or it is not known.
 */
export const railCharged = ({ from, named, product, to }: RailUse): string | null => {
  switch (product) {
    case "SWAP":
      return null
    case "CHAIN_PAYOUT":
    case "WITHDRAWAL":
      return from.asset?.network ?? null
    case "ON_RAMP":
    case "OFF_RAMP":
    case "BANK_TRANSFER":
      return named ?? (to?.kind === "FIAT" ? usualRail(to.code) : null)
  }
}
