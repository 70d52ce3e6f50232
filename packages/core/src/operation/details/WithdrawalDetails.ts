import { Schema } from "effect"
import { limitFields, pricingFields } from "./CommonDetails.ts"
import { type DetailsWith, TextOrNull } from "./fields.ts"

/** What only a WITHDRAWAL has. */
export const withdrawalFields = {
  usd_cents: limitFields.usd_cents,
  fee_rule: pricingFields.fee_rule,
  destination: Schema.Struct({ address: Schema.String, memo: Schema.optionalKey(TextOrNull) }),
  network_fee_borne_by: Schema.Literals(["SERVICE", "RECEIVER"])
}

/** What only a WITHDRAWAL has. */
export interface WithdrawalDetails extends DetailsWith<typeof withdrawalFields> {}
