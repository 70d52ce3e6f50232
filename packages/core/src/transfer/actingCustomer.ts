import { Result } from "effect"
import { Customer } from "../customer/Customer.ts"
import { customerOf, permit } from "../customer/permit.ts"
import type { Read } from "../engine/Read.ts"
import { readRecord } from "../engine/Records.ts"
import { Refusal } from "../base/Refusal.ts"
import type { View } from "../engine/View.ts"
import type { ActsFor } from "../operation/Operation.ts"

/** On whose behalf a transfer is made, and whom it is about. */
export interface Acting {
  readonly actsFor: ActsFor
  readonly customerId: string | null
}

/** What `actingCustomer` reads. */
export const actingReads = ({ customerId }: Acting): ReadonlyArray<Read> =>
  customerId === null ? [] : [readRecord(Customer, customerId)]

/**
 * The customer of a transfer, null where it has none. A transfer on a customer's behalf names one (`invalid_request`) that may
 * make it (`permit`); one of the tenant itself may name any of its customers (`not_found`).
 */
export const actingCustomer = (
  view: View,
  { actsFor, customerId }: Acting
): Result.Result<Customer | null, Refusal> => {
  if (customerId !== null)
    return actsFor === "CUSTOMER" ? permit(view, customerId, "transfer") : customerOf(view, customerId)
  return actsFor === "TENANT"
    ? Result.succeed(null)
    : Result.fail(new Refusal({ code: "invalid_request", message: "A transfer for a customer needs a customer_id." }))
}
