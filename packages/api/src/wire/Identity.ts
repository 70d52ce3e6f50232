import { Schema } from "effect"
import { FreeText, maybe } from "./Text.ts"
import { Uuid } from "./Uuid.ts"

/** A person's identity, forwarded to the payout provider and not stored. */
export const IdentityIn = Schema.Struct({
  first_name: FreeText,
  last_name: FreeText,
  middle_name: maybe(FreeText),
  date_of_birth: FreeText,
  document_kind: FreeText,
  document_number: FreeText,
  document_country: FreeText,
  document_issued: maybe(FreeText),
  document_expires: maybe(FreeText),
  residence_street: maybe(FreeText),
  residence_city: maybe(FreeText),
  residence_postcode: maybe(FreeText),
  residence_state: maybe(FreeText),
  residence_country: maybe(FreeText),
  email: maybe(FreeText),
  phone: maybe(FreeText)
}).annotate({
  identifier: "IdentityIn",
  examples: [
    {
      first_name: "Ana",
      last_name: "Silva",
      date_of_birth: "1990-04-01",
      document_kind: "PASSPORT",
      document_number: "P0000000",
      document_country: "PT"
    }
  ]
})
/** A person's identity. */
export type IdentityIn = typeof IdentityIn.Type

/** A customer as the payout provider knows it. */
export const RegisteredWithProvider = Schema.Struct({
  customer_id: Uuid,
  provider: Schema.String,
  provider_customer_id: Schema.String,
  newly_registered: Schema.Boolean
}).annotate({ identifier: "RegisteredWithProvider" })
/** A customer as the payout provider knows it. */
export type RegisteredWithProvider = typeof RegisteredWithProvider.Type
