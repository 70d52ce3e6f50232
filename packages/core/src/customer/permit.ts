import { Result } from "effect"
import { Refusal } from "../base/Refusal.ts"
import type { View } from "../engine/View.ts"
import { capabilityFor, Customer, statusAt } from "./Customer.ts"

/** The customer of an id; refuses one that is not the tenant's (`not_found`). The command reads `readRecord("Customer", id)`. */
export const customerOf = (view: View, customerId: string): Result.Result<Customer, Refusal> => {
  const customer = view.get(Customer, customerId)
  return customer === undefined
    ? Result.fail(new Refusal({ code: "not_found", message: "There is no such customer." }))
    : Result.succeed(customer)
}

/**
 * The customer of an id, if what is asked for may be done in its name. Refuses one that is not the tenant's (`not_found`), is
 * not verified now (`customer_not_verified`), or whose check does not grant it (`capability_missing`). The command reads
 * `readRecord("Customer", id)`.
 */
export const permit = (
  view: View,
  customerId: string,
  use: keyof typeof capabilityFor | "registration"
): Result.Result<Customer, Refusal> =>
  Result.flatMap(customerOf(view, customerId), (customer) => {
    const status = statusAt(customer.verification, view.now)
    if (status !== "APPROVED")
      return Result.fail(
        new Refusal({ code: "customer_not_verified", message: `The customer's identity check is ${status}.` })
      )
    const needed = use === "registration" ? undefined : capabilityFor[use]
    if (needed !== undefined && customer.verification?.capabilities.includes(needed) !== true)
      return Result.fail(
        new Refusal({
          code: "capability_missing",
          message: `The customer's identity check does not grant ${needed}.`,
          detail: { capability: needed }
        })
      )
    return Result.succeed(customer)
  })
