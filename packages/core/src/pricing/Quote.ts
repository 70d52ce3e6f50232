import type { Timestamp } from "../base/Timestamp.ts"
import type { Amount } from "../money/Amount.ts"
import type { Decimal } from "../money/Rate.ts"
import type { Product } from "./Product.ts"
import { defineRecord } from "../engine/Records.ts"

/** A price that is held for a short window, for one operation. An unused quote changes nothing. */
export interface Quote {
  readonly id: string
  readonly product: Product
  readonly amount: Amount
  readonly customerFee: Amount
  /** What the receiver gets at this price, in the currency that is received; of an ON_RAMP what arrives, before the fee that is taken from it. */
  readonly amountReceived: Amount
  /** The least that the receiver gets when the quote is used. Nobody is bound by that of an ON_RAMP: what arrives is credited. */
  readonly bindingFloor: Amount
  readonly exchangeRate: Decimal
  readonly rateSource: string | null
  readonly rateObservedAt: Timestamp | null
  readonly provider: string
  readonly ruleId: string | null
  readonly customerId: string | null
  readonly rail: string | null
  readonly country: string | null
  readonly createdAt: Timestamp
  readonly expiresAt: Timestamp
  /** The operation that used it; null while none has. */
  readonly usedBy: string | null
}

/** Quotes by their ids. */
export const Quote = defineRecord<Quote>({ name: "Quote", key: ({ id }) => id, traits: { oncePerCommand: true } })
