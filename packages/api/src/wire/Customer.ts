import { Schema } from "effect"
import { FreeText, maybe, ReferenceText, text } from "./Text.ts"
import { Uuid } from "./Uuid.ts"

/** An end user of the tenant. */
export const CreateCustomer = Schema.Struct({
  external_id: ReferenceText.annotate({ description: "The tenant's own identifier of the customer." }),
  is_business: Schema.optionalKey(Schema.Boolean),
  display_name: maybe(FreeText),
  country: maybe(text(3, 2))
}).annotate({
  identifier: "CreateCustomer",
  examples: [{ external_id: "user-88", is_business: false, display_name: "Ana Silva", country: "PT" }]
})
/** An end user of the tenant. */
export type CreateCustomer = typeof CreateCustomer.Type

/** A registered end user. */
export const Customer = Schema.Struct({
  id: Uuid,
  external_id: Schema.String,
  is_business: Schema.Boolean,
  country: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Customer" })
/** A registered end user. */
export type Customer = typeof Customer.Type
