import { Schema } from "effect"
import { limitFields, pricingFields } from "./CommonDetails.ts"
import { Decimal, type DetailsWith, TextOrNull } from "./fields.ts"

/** What only a WITHDRAWAL has. */
export const withdrawalFields = {
  usd_cents: limitFields.usd_cents,
  fee_rule: pricingFields.fee_rule,
  destination: Schema.Struct({ address: Schema.String, memo: Schema.optionalKey(TextOrNull) }),
  network_fee_borne_by: Schema.Literals(["SERVICE", "RECEIVER"]),
  /** The transaction that the custodian named first as having settled it, and that has paid another operation. */
  told_tx: Schema.String,
  /** The network fee that the custodian told, where it could not be booked. */
  told_fee: Schema.Struct({ units: Decimal, currency: Schema.String }),
  /** The transaction that the custodian named once it was settled without one: what was told of its outcome stays as it was told. */
  paid_by: Schema.String
}

/** What only a WITHDRAWAL has. */
export interface WithdrawalDetails extends DetailsWith<typeof withdrawalFields> {}
