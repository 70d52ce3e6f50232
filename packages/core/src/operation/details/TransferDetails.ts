import { Schema } from "effect"
import { limitFields, pricingFields } from "./CommonDetails.ts"
import { Decimal, type DetailsWith, TextOrNull } from "./fields.ts"

/** Whom a transfer pays, as details keep it. */
export const StoredPayee = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  country: Schema.optionalKey(TextOrNull),
  holder_type: Schema.optionalKey(Schema.Literals(["INDIVIDUAL", "BUSINESS"])),
  iban: Schema.optionalKey(TextOrNull),
  account_number: Schema.optionalKey(TextOrNull),
  sort_code: Schema.optionalKey(TextOrNull),
  routing_number: Schema.optionalKey(TextOrNull),
  bic: Schema.optionalKey(TextOrNull),
  bank_name: Schema.optionalKey(TextOrNull),
  purpose: Schema.optionalKey(TextOrNull)
})

/** Whom a transfer pays, as details keep it. */
export type StoredPayee = typeof StoredPayee.Type

const StoredAmount = Schema.Struct({ units: Decimal, currency: Schema.String })

/** What the transfers have that a provider carries out: OFF_RAMP and BANK_TRANSFER have it, ON_RAMP and REFUND more. */
export const transferFields = {
  ...limitFields,
  ...pricingFields,
  to_currency: TextOrNull,
  rail: TextOrNull,
  provider_customer_id: TextOrNull,
  payee: Schema.NullOr(StoredPayee),
  /** What the provider told last as the amount of a transfer that had settled with another, or that could not be booked by it. */
  told: StoredAmount,
  /** Amounts that the provider had told of what settled, and that operators have decided against. */
  overruled: Schema.Array(StoredAmount),
  /** How much came back so far, in base units. */
  returned: Decimal,
  /** Whether the provider told of a return that could not be booked. That it has settled does not take that back. */
  return_told: Schema.Boolean
}

/** What OFF_RAMP and BANK_TRANSFER have. */
export interface TransferDetails extends DetailsWith<typeof transferFields> {}

/** What a fee rule charges, as details keep it. */
export const StoredFeeTerms = Schema.Struct({ percent: Schema.String, minimum_fee: Schema.String })

/** What a fee rule charges, as details keep it. */
export type StoredFeeTerms = typeof StoredFeeTerms.Type

/** What an ON_RAMP has. */
export const onRampFields = {
  ...transferFields,
  /** What the fee rule charges that it was priced by, at its acceptance or by its quote; null where there was none. */
  fee_terms: Schema.NullOr(StoredFeeTerms),
  /** Whose account the money came from. */
  sender: StoredPayee,
  /** What arrived, in base units of `arrived_currency`, else of the amount's currency. */
  arrived: Decimal,
  arrived_currency: Schema.String,
  /** Whether what arrived stands in suspense, and why. */
  suspended: Schema.Boolean,
  reason: Schema.String,
  /** Whether operators credited what stood in suspense. */
  placed: Schema.Boolean,
  /** How much had gone back before they did, in base units of what arrived. */
  returned_unplaced: Decimal,
  repriced_because: Schema.String,
  /** How much of it all refunds together take, in base units. */
  refunded: Decimal
}

/** What an ON_RAMP has. */
export interface OnRampDetails extends DetailsWith<typeof onRampFields> {}

/** What a REFUND has. */
export const refundFields = {
  ...transferFields,
  /** The id of the ON_RAMP that it pays back. */
  refund_of: TextOrNull
}

/** What a REFUND has. */
export interface RefundDetails extends DetailsWith<typeof refundFields> {}

/** What an INTERNAL_TRANSFER has. */
export const internalTransferFields = { account_id: Schema.String, quote_id: pricingFields.quote_id }

/** What an INTERNAL_TRANSFER has. */
export interface InternalTransferDetails extends DetailsWith<typeof internalTransferFields> {}
