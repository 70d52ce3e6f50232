import { Schema } from "effect"
import { Money } from "./Money.ts"
import { CurrencyText, maybe, text } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"
import { Uuid } from "./Uuid.ts"

/** A request for fiat account details. */
export const CreateAccount = Schema.Struct({
  customer_id: Uuid,
  currency: CurrencyText,
  country: maybe(text(3, 2))
}).annotate({
  identifier: "CreateAccount",
  examples: [{ customer_id: "019845e1-682f-7b02-a706-3b2422d13aec", currency: "EUR", country: "PT" }]
})
/** A request for fiat account details. */
export type CreateAccount = typeof CreateAccount.Type

/** A customer's fiat account; the details are null until the provider issues them. */
export const Account = Schema.Struct({
  id: Uuid,
  status: Schema.Literals(["PENDING", "ACTIVE", "REJECTED", "SUSPENDED", "CLOSED"]),
  currency: Schema.String,
  account_holder_name: Schema.NullOr(Schema.String),
  iban: Schema.NullOr(Schema.String),
  account_number: Schema.NullOr(Schema.String),
  sort_code: Schema.NullOr(Schema.String),
  bic: Schema.NullOr(Schema.String),
  bank_name: Schema.NullOr(Schema.String),
  expires_at: Schema.NullOr(Timestamp)
}).annotate({ identifier: "Account" })
/** A customer's fiat account. */
export type Account = typeof Account.Type

/** One ledger line of an account. */
export const AccountEntry = Schema.Struct({
  id: Schema.Int,
  direction: Schema.String.annotate({ description: "DEBIT or CREDIT." }),
  amount: Money,
  description: Schema.String,
  posted_at: Timestamp
}).annotate({ identifier: "AccountEntry" })
/** One ledger line of an account. */
export type AccountEntry = typeof AccountEntry.Type
