import { Schema } from "effect"
import { Money, MoneyIn } from "./Money.ts"
import { ActsFor, OperationStatus, Unresolved } from "./OperationStatus.ts"
import { CodeText, FreeText, maybe, ReferenceText, text } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"
import { Uuid } from "./Uuid.ts"

/** The kinds of fiat transfer. */
export const transferKinds = ["ON_RAMP", "OFF_RAMP", "BANK_TRANSFER", "INTERNAL_TRANSFER", "REFUND"] as const

const Detail = maybe(text(64))

/** The account details of whom a transfer pays. */
export const Beneficiary = Schema.Struct({
  iban: Detail,
  account_number: Detail,
  sort_code: Detail,
  routing_number: Detail,
  bic: Detail,
  bank_name: maybe(FreeText),
  holder_type: Schema.optionalKey(CodeText),
  purpose: maybe(FreeText)
}).annotate({ identifier: "Beneficiary" })
/** The account details of whom a transfer pays. */
export type Beneficiary = typeof Beneficiary.Type

/** A fiat transfer. An unknown `kind` is refused as `unknown_kind`. */
export const CreateTransfer = Schema.Struct({
  kind: CodeText.annotate({ description: `One of ${transferKinds.join(", ")}.` }),
  customer_id: maybe(Uuid),
  acts_for: Schema.optionalKey(ActsFor),
  amount: MoneyIn,
  beneficiary_name: FreeText,
  beneficiary_account: text(64).annotate({
    description:
      "The account that is paid. For an INTERNAL_TRANSFER the id, IBAN or number of a customer's account; for a REFUND the id of the ON_RAMP that it pays back."
  }),
  beneficiary_country: maybe(text(3, 2)),
  rail: maybe(CodeText),
  country: maybe(text(3, 2)),
  quote_id: maybe(Uuid),
  beneficiary: maybe(Beneficiary),
  partner_reference: maybe(ReferenceText)
}).annotate({
  identifier: "CreateTransfer",
  examples: [
    {
      kind: "BANK_TRANSFER",
      amount: { amount: "150.00", currency: "EUR" },
      beneficiary_name: "Ana Silva",
      beneficiary_account: "PT50000201231234567890154",
      beneficiary_country: "PT",
      rail: "SEPA",
      partner_reference: "salary-3"
    }
  ]
})
/** A fiat transfer. */
export type CreateTransfer = typeof CreateTransfer.Type

/** A fiat transfer as it stands. */
export const Transfer = Schema.Struct({
  id: Uuid,
  kind: Schema.Literals(transferKinds),
  status: OperationStatus,
  amount: Money,
  customer_fee: Money,
  amount_received: Schema.NullOr(Money).annotate({
    description:
      "What the receiver got, or what an ON_RAMP brought, less what has come back since. Until that is known, the promised amount, or null if none was promised. Once the transfer has failed, zero of the promised amount."
  }),
  quote_id: Schema.NullOr(Uuid),
  partner_reference: Schema.NullOr(Schema.String),
  provider_reference: Schema.NullOr(Schema.String),
  created_at: Timestamp,
  settled_at: Schema.NullOr(Timestamp),
  unresolved: Unresolved
}).annotate({ identifier: "Transfer" })
/** A fiat transfer as it stands. */
export type Transfer = typeof Transfer.Type
