import { Schema } from "effect"
import { Limits } from "../Limits.ts"
import { DepositAddress } from "./DepositAddress.ts"
import { maybe, ReferenceText } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

/**
 * One address to register. Network and address, which partners have from others, may be any text, since they are judged item by item: the
 * batch goes on without a bad one. What else does not fit this schema is a mistake of whoever writes the batch, and refuses the whole, as does half
 * of a surrogate pair anywhere: a body with one has no canonical form (RFC 8785), by which it could be known again.
 */
export const AddressIn = Schema.Struct({
  network: Schema.String.annotate({ description: "Any other than a network of the service refuses this item alone." }),
  address: Schema.String.annotate({ description: "One that is not valid on the network refuses this item alone." }),
  reference: ReferenceText,
  watch_from: maybe(Timestamp),
  watch_from_block: maybe(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))
}).annotate({ identifier: "AddressIn" })
/** One address to register. */
export type AddressIn = typeof AddressIn.Type

/** A batch of addresses to register. */
export const RegisterAddresses = Schema.Struct({
  addresses: Schema.Array(AddressIn).check(
    Schema.isMinLength(1),
    Schema.isMaxLength(Limits.addressesPerRegistrationMax)
  )
}).annotate({
  identifier: "RegisterAddresses",
  examples: [
    {
      addresses: [
        {
          network: "ethereum",
          address: "0x52908400098527886E0F7030069857D2E4169EE7",
          reference: "customer-17"
        }
      ]
    }
  ]
})
/** A batch of addresses to register. */
export type RegisterAddresses = typeof RegisterAddresses.Type

/** Why one item of a batch was refused. */
export const ItemError = Schema.Struct({
  code: Schema.String.annotate({
    description: "A code of the error catalogue, such as unknown_network, address_invalid or address_unavailable."
  }),
  message: Schema.String
}).annotate({ identifier: "ItemError" })
/** Why one item of a batch was refused. */
export type ItemError = typeof ItemError.Type

/** What became of one item of a batch; `index` is its position in the request. */
export const RegistrationResult = Schema.Struct({
  index: Schema.Int,
  status: Schema.Literals(["registered", "existing", "refused"]),
  address: Schema.NullOr(DepositAddress),
  error: Schema.NullOr(ItemError)
}).annotate({ identifier: "RegistrationResult" })
/** What became of one item of a batch. */
export type RegistrationResult = typeof RegistrationResult.Type

/** What became of every item of a batch, in its order. */
export const RegistrationResults = Schema.Struct({
  results: Schema.Array(RegistrationResult)
}).annotate({ identifier: "RegistrationResults" })
/** What became of every item of a batch. */
export type RegistrationResults = typeof RegistrationResults.Type
