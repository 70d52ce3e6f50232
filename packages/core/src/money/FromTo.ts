import type { Currency } from "./Currency.ts"

/** The two currencies of an operation; where nothing is converted they are one. */
export interface FromTo {
  /** That of the amount. */
  readonly from: Currency
  /** That of what is received. */
  readonly to: Currency
}
