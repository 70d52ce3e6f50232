import { Result } from "effect"
import { permit } from "../customer/permit.ts"
import { schedule } from "../engine/Job.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import { Refusal } from "../base/Refusal.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { type Reached, refuseReach } from "../environment/reach.ts"
import { accountKey, accountQueue } from "./accountQueue.ts"
import { type AccountDetails, FiatAccount } from "./FiatAccount.ts"
import { Customer } from "../customer/Customer.ts"

/** A request for an account in a customer's name. */
export interface AccountRequest {
  readonly customerId: string
  readonly currency: string
  readonly country: string | null
  readonly provider: Reached
  readonly currencies: CurrencyTable
}

const nothingKnown: AccountDetails = {
  holderName: null,
  iban: null,
  accountNumber: null,
  sortCode: null,
  bic: null,
  bankName: null,
  expiresAt: null
}

/**
 * Asks for an account: PENDING until the provider issues its details, and at least until the customer is registered there.
 * Refuses a provider of another environment (`product_not_enabled`), a currency that is no fiat (`unsupported_asset`) and a customer for whom it may not be opened (`not_found`,
 * `customer_not_verified`, `capability_missing`).
 */
export const createAccount = (request: AccountRequest): Command<FiatAccount> => ({
  name: "CreateAccount",
  reads: [readRecord(Customer, request.customerId)],
  decide: (view) => {
    const { country, currencies, currency, customerId } = request
    const { name: provider } = request.provider
    const foreign = refuseReach(view.tenant, request.provider)
    if (foreign !== undefined) return Result.fail(foreign)
    if (currencies.byCode(currency)?.kind !== "FIAT")
      return Result.fail(
        new Refusal({ code: "unsupported_asset", message: `${currency} is not held in bank accounts.` })
      )
    return Result.map(permit(view, customerId, "account"), ({ registration }) => {
      const account: FiatAccount = {
        id: view.newId(),
        customerId,
        currency,
        country,
        status: "PENDING",
        provider,
        providerCustomerId: registration?.provider === provider ? registration.providerCustomerId : null,
        providerAccountId: null,
        details: nothingKnown,
        lastIncoming: null,
        createdAt: view.now,
        changedAt: view.now
      }
      return {
        changes: [
          putRecord(FiatAccount, account),
          ...(account.providerCustomerId === null ? [] : [schedule(accountQueue, accountKey(account), view.now)])
        ],
        reply: account
      }
    })
  }
})
