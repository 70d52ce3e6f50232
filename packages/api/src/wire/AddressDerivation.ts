import { Schema } from "effect"
import { Limits } from "../Limits.ts"
import { DepositAddress } from "./DepositAddress.ts"
import { Network } from "./Network.ts"
import { NetworkText, ReferenceText } from "./Text.ts"
import { Uuid } from "./Uuid.ts"

const fields = {
  network: NetworkText,
  reference: ReferenceText,
  count: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Limits.addressesPerCallMax }))
}

/** How many addresses to derive from the live xpub of a network. */
export const DeriveIn = Schema.Struct(fields).annotate({
  identifier: "DeriveIn",
  examples: [{ network: "bitcoin", reference: "customer-17", count: 2 }]
})
/** How many addresses to derive. */
export type DeriveIn = typeof DeriveIn.Type

/** How many addresses to issue from keys that the service holds. */
export const IssueIn = Schema.Struct(fields).annotate({
  identifier: "IssueIn",
  examples: [{ network: "tron", reference: "customer-17", count: 1 }]
})
/** How many addresses to issue. */
export type IssueIn = typeof IssueIn.Type

/** The addresses derived, and the index that the next derivation starts at. */
export const DerivedAddresses = Schema.Struct({
  xpub_id: Uuid,
  network: Network,
  next_index: Schema.Int,
  addresses: Schema.Array(DepositAddress)
}).annotate({ identifier: "DerivedAddresses" })
/** The addresses derived. */
export type DerivedAddresses = typeof DerivedAddresses.Type

/** The addresses issued, and the index that the next issue starts at. */
export const IssuedAddresses = Schema.Struct({
  seed_id: Uuid,
  network: Network,
  next_index: Schema.Int,
  addresses: Schema.Array(DepositAddress)
}).annotate({ identifier: "IssuedAddresses" })
/** The addresses issued. */
export type IssuedAddresses = typeof IssuedAddresses.Type
