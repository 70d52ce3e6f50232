import { Schema } from "effect"
import { limitFields, pricingFields } from "./CommonDetails.ts"
import { type DetailsWith, TextOrNull } from "./fields.ts"

/** What only a CHAIN_PAYOUT has. */
export const payoutFields = {
  ...limitFields,
  fee_rule: pricingFields.fee_rule,
  destination: Schema.Struct({
    address: Schema.String,
    memo: Schema.optionalKey(TextOrNull),
    memo_type: Schema.optionalKey(TextOrNull)
  }),
  from_address: Schema.String,
  /** The transaction that made it without being signed for it, and who told of it. */
  proven_by: Schema.Struct({
    tx_hash: Schema.String,
    given_by: Schema.String,
    /** What the wallet paid the network for it, in base units of the native asset; absent where that was not known. */
    network_fee: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[0-9]+$/u)))
  })
}

/** What only a CHAIN_PAYOUT has. */
export interface PayoutDetails extends DetailsWith<typeof payoutFields> {}
