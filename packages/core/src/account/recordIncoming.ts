import { Result } from "effect"
import { isStorableId, storable } from "../base/storable.ts"
import { ownerOf, ownerReads } from "../custody/claimOrder.ts"
import { ProviderOrder, providerOrderKey } from "../custody/ProviderOrder.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import { placeReads } from "../ledger/coverShortfall.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { newOperation } from "../operation/newOperation.ts"
import type { Incoming } from "../port/FiatProvider.ts"
import { lookAgain } from "./accountQueue.ts"
import { FiatAccount, incomingKey, ledgerAccountOf, BookedIncoming } from "./FiatAccount.ts"
import { Operation } from "../operation/Operation.ts"

/** What became of a payment that the provider tells of. */
export type IncomingTaken =
  | { readonly _tag: "Booked" }
  /** It was booked before, or there is nothing to book. */
  | { readonly _tag: "Known" }
  /** Another tenant has it, by this operation: the provider gives one account to both. */
  | { readonly _tag: "Another"; readonly operationId: string }
  /** The table lacks its currency: nothing in the books could be told of it. */
  | { readonly _tag: "UnknownCurrency" }
  /** The provider's id of it cannot be stored, or is too long to be found by: changed, it could be another payment's, and it would be booked anew or not at all. */
  | { readonly _tag: "UnstorableId" }

/**
 * Books money that arrived on an account: `bank` → `account:<id>`, as an ADJUSTMENT beside the float, once per payment of the
 * provider among all tenants. Another currency than the account's goes to `suspense`: it is not dropped, and somebody has to look. Nothing
 * is booked in a currency that the table lacks, or under an id that cannot be stored.
 */
export const recordIncoming = (
  { currency: expected, id: accountId, provider }: Pick<FiatAccount, "currency" | "id" | "provider">,
  incoming: Incoming,
  currencies: CurrencyTable
): Command<IncomingTaken> => {
  const { units } = incoming.amount
  // no table has a currency whose code had to be changed
  const currency = storable(incoming.amount.currency)
  const to = currency === expected ? ledgerAccountOf(accountId) : "suspense"
  const key = incomingKey(incoming.providerAccountId, incoming.id)
  if (!isStorableId(incoming.providerAccountId) || !isStorableId(incoming.id))
    return {
      name: "RecordIncoming",
      reads: [],
      decide: () => Result.succeed({ changes: [], reply: { _tag: "UnstorableId" } })
    }
  const orderKey = providerOrderKey(provider, key)
  return {
    name: "RecordIncoming",
    reads: [
      readRecord(FiatAccount, accountId),
      readRecord(BookedIncoming, key),
      ...ownerReads(orderKey),
      ...placeReads("bank", currency),
      { _tag: "Balance", account: to, currency }
    ],
    decide: (view) => {
      const found = view.get(FiatAccount, accountId)
      if (found === undefined || units <= 0n || view.get(BookedIncoming, key) !== undefined)
        return Result.succeed({ changes: [], reply: { _tag: "Known" } })
      const owner = ownerOf(view, orderKey)
      if (owner !== null) return Result.succeed({ changes: [], reply: { _tag: "Another", operationId: owner } })
      if (currencies.byCode(currency) === undefined)
        return Result.succeed({ changes: [], reply: { _tag: "UnknownCurrency" } })
      const operation = newOperation(view, {
        kind: "ADJUSTMENT",
        status: "SETTLED",
        amount: incoming.amount,
        customerId: found.customerId,
        actsFor: "CUSTOMER",
        provider,
        providerReference: incoming.id,
        details: {
          incoming: incoming.id,
          account_id: accountId,
          provider_account_id: incoming.providerAccountId,
          description: storable(incoming.description)
        },
        settledAt: view.now
      })
      const leg = { currency, units, what: "principal" } as const
      const account: FiatAccount = { ...found, lastIncoming: incoming.id, changedAt: view.now }
      return Result.succeed({
        changes: [
          putRecord(Operation, operation),
          {
            _tag: "Posted",
            operationId: operation.id,
            legs: [
              { ...leg, account: "bank", direction: "DEBIT" },
              { ...leg, account: to, direction: "CREDIT" }
            ]
          },
          putRecord(BookedIncoming, { key, operationId: operation.id }),
          putRecord(ProviderOrder, { provider, providerReference: key, operationId: operation.id }),
          putRecord(FiatAccount, account),
          lookAgain(account, view.now)
        ],
        reply: { _tag: "Booked" }
      })
    }
  }
}
