import { Schema } from "effect"

const text = Schema.optionalKey(Schema.NullOr(Schema.String))

/** A person, as Bridge knows them. */
export const Customer = Schema.Struct({ id: Schema.NonEmptyString })

/** Where the review of a customer stands, as a whole and for each kind of payment. */
export const Reviewed = Schema.Struct({
  status: text,
  endorsements: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Struct({ name: Schema.String, status: text }))))
})
/** Where the review of a customer stands. */
export type Reviewed = typeof Reviewed.Type

/** A bank account that is paid to. */
export const ExternalAccount = Schema.Struct({ id: Schema.NonEmptyString })

/** An account that money arrives on. Which of the instructions stand depends on the currency. */
export const VirtualAccount = Schema.Struct({
  id: Schema.NonEmptyString,
  status: Schema.String,
  customer_id: text,
  source_deposit_instructions: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        currency: text,
        account_holder_name: text,
        bank_beneficiary_name: text,
        iban: text,
        bic: text,
        account_number: text,
        bank_account_number: text,
        sort_code: text,
        bank_routing_number: text,
        bank_name: text
      })
    )
  )
})
/** An account that money arrives on. */
export type VirtualAccount = typeof VirtualAccount.Type

/** One event of a virtual account. Once it is delivered, `amount` is what was, less all fees, in the `currency` of where it went. */
export const Activity = Schema.Struct({
  id: Schema.NonEmptyString,
  type: Schema.String,
  deposit_id: text,
  virtual_account_id: text,
  customer_id: text,
  amount: text,
  currency: text,
  created_at: Schema.String,
  source: Schema.optionalKey(Schema.NullOr(Schema.Struct({ description: text, sender_name: text })))
})
/** One event of a virtual account. */
export type Activity = typeof Activity.Type

/** A page of events, the newest first. */
export const Activities = Schema.Struct({ data: Schema.Array(Activity) })

/** Where the money of a transfer came from, as far as Bridge tells. */
const Source = Schema.Struct({
  bank_beneficiary_name: text,
  sender_name: text,
  iban: text,
  bic: text,
  account_number: text,
  bank_account_number: text,
  sort_code: text,
  bank_routing_number: text
})

/**
 * A transfer. `receipt.final_amount` is what the last movement brought to where it ended; `return_details.amount`, where it stands, is
 * what came back.
 */
export const Transfer = Schema.Struct({
  id: Schema.NonEmptyString,
  state: Schema.NonEmptyString,
  client_reference_id: text,
  created_at: text,
  source: Schema.optionalKey(Schema.NullOr(Source)),
  receipt: Schema.optionalKey(Schema.NullOr(Schema.Struct({ final_amount: text }))),
  return_details: Schema.optionalKey(Schema.NullOr(Schema.Struct({ amount: text })))
})
/** A transfer. */
export type Transfer = typeof Transfer.Type

/** A page of transfers, the newest first. */
export const Transfers = Schema.Struct({ data: Schema.Array(Transfer) })

/** What a webhook is about. */
export const Webhook = Schema.Struct({
  event_category: Schema.String,
  event_object_id: text,
  event_object: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ client_reference_id: text, customer_id: text, virtual_account_id: text }))
  )
})
