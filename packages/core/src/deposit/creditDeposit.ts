import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import type { View } from "../engine/View.ts"
import { emit } from "../event/emit.ts"
import type { Account } from "../ledger/Account.ts"
import type { Leg } from "../ledger/Leg.ts"
import { of, zero } from "../money/Amount.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { Network } from "../money/Network.ts"
import type { Operation } from "../operation/Operation.ts"
import type { AddressOrigin } from "../tenant/Tenant.ts"
import type { Deposit } from "./Deposit.ts"
import { depositEventData } from "./depositEvent.ts"

/** The account that holds the coins of an address: the tenant keeps the keys of what it registered or derived. */
export const holderOf = (network: Network, origin: AddressOrigin): Account =>
  origin === "REGISTERED" || origin === "DERIVED" ? `chain:${network}:tenant` : `chain:${network}:deposits`

/** The balances that crediting or reversing a deposit touches. */
export const creditReads = (deposit: { readonly network: Network; readonly currency: string }): ReadonlyArray<Read> => [
  { _tag: "Balance", account: "float:available", currency: deposit.currency },
  { _tag: "Balance", account: `chain:${deposit.network}:tenant`, currency: deposit.currency },
  { _tag: "Balance", account: `chain:${deposit.network}:deposits`, currency: deposit.currency }
]

const operationOf = (view: View, deposit: Deposit, kind: "DEPOSIT" | "REVERSAL", origin: AddressOrigin): Operation => ({
  id: view.newId(),
  tenantId: deposit.tenantId,
  kind,
  status: "SETTLED",
  amount: of(deposit.units, deposit.currency),
  customerFee: zero(deposit.currency),
  toAmount: null,
  toAmountQuoted: null,
  customerId: null,
  actsFor: "TENANT",
  network: deposit.network,
  provider: null,
  providerReference: null,
  partnerReference: deposit.reference,
  networkFee: null,
  txHash: deposit.txHash,
  unresolved: false,
  details: { deposit_id: deposit.id, origin },
  createdAt: view.now,
  settledAt: view.now
})

/** Books a confirmed deposit: its holder → `float:available`, as an operation of its own, told as `deposit.settled`. */
export const credit = (
  view: View,
  currencies: CurrencyTable,
  deposit: Deposit,
  origin: AddressOrigin
): { readonly operation: Operation; readonly changes: ReadonlyArray<Change> } => {
  const operation = operationOf(view, deposit, "DEPOSIT", origin)
  const { currency, units } = deposit
  return {
    operation,
    changes: [
      { _tag: "OperationPut", operation },
      {
        _tag: "Posted",
        operationId: operation.id,
        legs: [
          { account: holderOf(deposit.network, origin), direction: "DEBIT", currency, units, what: "principal" },
          { account: "float:available", direction: "CREDIT", currency, units, what: "principal" }
        ]
      },
      emit(view, "deposit.settled", operation.id, {
        ...depositEventData(deposit, currencies),
        operation_id: operation.id,
        kind: operation.kind
      })
    ]
  }
}

/**
 * Books the mirror image of a credit whose block was replaced, as a REVERSAL. It may leave the float below zero: the
 * coins were never there.
 */
export const reverse = (
  view: View,
  deposit: Deposit,
  origin: AddressOrigin
): { readonly operation: Operation; readonly changes: ReadonlyArray<Change> } => {
  const reversed = operationOf(view, deposit, "REVERSAL", origin)
  const operation: Operation = {
    ...reversed,
    details: { ...reversed.details, reverses: deposit.creditedBy }
  }
  const leg = { currency: deposit.currency, units: deposit.units, what: "reversal" } as const
  const legs: ReadonlyArray<Leg> = [
    { ...leg, account: "float:available", direction: "DEBIT" },
    { ...leg, account: holderOf(deposit.network, origin), direction: "CREDIT" }
  ]
  return {
    operation,
    changes: [
      { _tag: "OperationPut", operation },
      { _tag: "Posted", operationId: operation.id, legs, mayOverdraw: true }
    ]
  }
}
