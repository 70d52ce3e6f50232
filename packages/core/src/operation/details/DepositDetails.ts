import { Schema } from "effect"
import { addressOrigins } from "../../tenant/Tenant.ts"
import { Decimal, type DetailsWith } from "./fields.ts"

/** What only a DEPOSIT has. */
export const depositFields = {
  deposit_id: Schema.String,
  /** Who held the keys of the address. */
  origin: Schema.Literals(addressOrigins),
  /** How much of it came from an address of the tenant's own, in base units. */
  own_units: Decimal
}

/** What only a DEPOSIT has. */
export interface DepositDetails extends DetailsWith<typeof depositFields> {}

/** What only a REVERSAL has: what the DEPOSIT has that it takes back, and that operation's id. */
export const reversalFields = { ...depositFields, reverses: Schema.NullOr(Schema.String) }

/** What only a REVERSAL has. */
export interface ReversalDetails extends DetailsWith<typeof reversalFields> {}
