import type { Customer as WireCustomer } from "@bursar/api/wire/Customer"
import type { Verification } from "@bursar/api/wire/Verification"
import { type Customer, statusAt } from "@bursar/core/customer/Customer"
import type { Timestamp } from "@bursar/core/base/Timestamp"
import { isoOrNull } from "../../wire/moment.ts"

/** A customer as partners see it. */
export const toWire = ({ country, externalId, id, isBusiness }: Customer): WireCustomer => ({
  id,
  external_id: externalId,
  is_business: isBusiness,
  country
})

/** An identity check as it stands at a moment. */
export const verificationToWire = ({ verification }: Customer, now: Timestamp): Verification => {
  const status = statusAt(verification, now)
  return {
    status,
    capabilities: status === "APPROVED" ? [...(verification?.capabilities ?? [])] : [],
    expires_at: isoOrNull(verification?.expiresAt),
    environment: verification?.environment ?? null
  }
}
