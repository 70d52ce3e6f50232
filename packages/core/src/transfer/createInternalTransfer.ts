import { Result } from "effect"
import { FiatAccount, ledgerAccountOf } from "../account/FiatAccount.ts"
import type { Command } from "../engine/Command.ts"
import { readRecord } from "../engine/Records.ts"
import { Refusal } from "../base/Refusal.ts"
import type { Amount } from "../money/Amount.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { newOperation } from "../operation/newOperation.ts"
import { concluded } from "../operation/moveOperation.ts"
import type { Operation } from "../operation/Operation.ts"
import { refuseSpending, spendableReads } from "../operation/spendable.ts"
import { type Acting, actingCustomer, actingReads } from "./actingCustomer.ts"

/** A wish to move balance to a customer's account. */
export interface InternalTransferRequest extends Acting {
  readonly amount: Amount
  /** The account's id; null where what was given names none. */
  readonly accountId: string | null
  readonly quoteId: string | null
  readonly partnerReference: string | null
  readonly currencies: CurrencyTable
}

const refuse = (code: Refusal["code"], message: string) => Result.fail(new Refusal({ code, message }))

/** An account that can be credited: PENDING, REJECTED, SUSPENDED and CLOSED ones cannot. */
const creditable = (account: FiatAccount | undefined, { currency }: Amount): Result.Result<FiatAccount, Refusal> => {
  if (account === undefined)
    return refuse("beneficiary_invalid", "beneficiary_account is none of your customers' accounts.")
  if (account.currency !== currency)
    return refuse("beneficiary_invalid", `The account is in ${account.currency}, not in ${currency}.`)
  return account.status === "ACTIVE"
    ? Result.succeed(account)
    : refuse("account_not_active", `The account is ${account.status}.`)
}

/**
 * Moves balance to a customer's account at once: `float:available` → `account:<id>`, free of charge. Refuses an account that
 * is not the tenant's or in another currency (`beneficiary_invalid`) or not ACTIVE (`account_not_active`), a quote
 * (`quote_mismatch`: nothing is priced), a customer who may not (`actingCustomer`) and what the float does not cover
 * (`insufficient_balance`).
 */
export const createInternalTransfer = (request: InternalTransferRequest): Command<Operation> => {
  const { accountId, actsFor, amount, currencies, customerId, partnerReference, quoteId } = request
  return {
    name: "CreateInternalTransfer",
    reads: [
      ...(accountId === null
        ? []
        : [
            readRecord(FiatAccount, accountId),
            { _tag: "Balance", account: ledgerAccountOf(accountId), currency: amount.currency } as const
          ]),
      ...spendableReads(amount.currency, currencies),
      ...actingReads(request)
    ],
    decide: (view) =>
      Result.gen(function* () {
        const currency = currencies.byCode(amount.currency)
        if (currency?.kind !== "FIAT")
          return yield* refuse("unsupported_asset", `${amount.currency} is not held in bank accounts.`)
        if (quoteId !== null) return yield* refuse("quote_mismatch", "An INTERNAL_TRANSFER is not priced by quotes.")
        yield* actingCustomer(view, request)
        const account = yield* creditable(accountId === null ? undefined : view.get(FiatAccount, accountId), amount)
        const refused = refuseSpending(view, currency, amount.units)
        if (refused !== undefined) return yield* Result.fail(refused)
        const accepted = newOperation(view, {
          kind: "INTERNAL_TRANSFER",
          amount,
          toAmount: amount,
          toAmountQuoted: amount,
          customerId,
          actsFor,
          partnerReference,
          details: { account_id: account.id, quote_id: null }
        })
        const { changes, operation } = concluded(view, currencies, accepted, "settled")
        const leg = { currency: amount.currency, units: amount.units, what: "principal" } as const
        return {
          changes: [
            ...changes,
            {
              _tag: "Posted",
              operationId: operation.id,
              legs: [
                { ...leg, account: "float:available", direction: "DEBIT" },
                { ...leg, account: ledgerAccountOf(account.id), direction: "CREDIT" }
              ]
            } as const
          ],
          reply: operation
        }
      })
  }
}
