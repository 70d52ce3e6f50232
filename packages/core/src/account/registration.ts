import { Result } from "effect"
import { lookAgain } from "./accountQueue.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readGroup, readRecord } from "../engine/Records.ts"
import { Customer } from "../customer/Customer.ts"
import { customerOf, permit } from "../customer/permit.ts"
import { FiatAccount } from "./FiatAccount.ts"

/** Whether a customer may be registered with the payout provider now; refuses as `permit` does. Changes nothing. */
export const mayRegister = (customerId: string): Command<Customer> => ({
  name: "MayRegister",
  reads: [readRecord(Customer, customerId)],
  decide: (view) =>
    Result.map(permit(view, customerId, "registration"), (customer) => ({ changes: [], reply: customer }))
})

/**
 * Records by which id the payout provider knows a customer, and has the accounts opened that wait for it. Nothing of who the
 * person is is stored.
 */
export const recordRegistration = (
  customerId: string,
  provider: string,
  providerCustomerId: string
): Command<Customer> => ({
  name: "RecordRegistration",
  reads: [readRecord(Customer, customerId), readGroup(FiatAccount, customerId)],
  decide: (view) =>
    Result.map(customerOf(view, customerId), (found) => {
      const customer: Customer = { ...found, registration: { provider, providerCustomerId } }
      const waiting = view
        .group(FiatAccount, customerId)
        .filter((account) => account.provider === provider && account.providerCustomerId === null)
        .map((account) => ({ ...account, providerCustomerId, changedAt: view.now }))
      return {
        changes: [
          putRecord(Customer, customer),
          ...waiting.flatMap((account) => [putRecord(FiatAccount, account), lookAgain(account, view.now)])
        ],
        reply: customer
      }
    })
})
