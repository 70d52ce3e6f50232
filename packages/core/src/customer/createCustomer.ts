import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import { Refusal } from "../base/Refusal.ts"
import { Customer, CustomerName } from "./Customer.ts"

/** An end user as the tenant tells of it. */
export interface CustomerRequest {
  readonly externalId: string
  readonly isBusiness: boolean
  readonly displayName: string | null
  readonly country: string | null
}

/** Registers an end user. Refuses an identifier that the tenant gave already (`external_id_taken`). */
export const createCustomer = (request: CustomerRequest): Command<Customer> => ({
  name: "CreateCustomer",
  reads: [readRecord(CustomerName, request.externalId)],
  decide: (view) => {
    if (view.get(CustomerName, request.externalId) !== undefined)
      return Result.fail(
        new Refusal({ code: "external_id_taken", message: "A customer with this external_id is registered." })
      )
    const customer: Customer = {
      ...request,
      id: view.newId(),
      verification: null,
      registration: null,
      createdAt: view.now
    }
    return Result.succeed({
      changes: [
        putRecord(Customer, customer),
        putRecord(CustomerName, { externalId: request.externalId, customerId: customer.id })
      ],
      reply: customer
    })
  }
})
