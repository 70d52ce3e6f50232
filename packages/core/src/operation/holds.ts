import { Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import { Refusal } from "../base/Refusal.ts"
import type { View } from "../engine/View.ts"
import type { Account, AssetAccount } from "../ledger/Account.ts"
import { placeReads } from "../ledger/coverShortfall.ts"
import type { Leg } from "../ledger/Leg.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { Operation } from "./Operation.ts"
import { refuseSpending } from "./spendable.ts"

type Held = Pick<Operation, "amount" | "customerFee" | "id">

/** The balances that holding, releasing and taking touch, with the account that the value is taken from in the end. Holding reads `spendableReads` as well. */
export const holdReads = (currency: string, from: AssetAccount): ReadonlyArray<Read> => [
  ...(["float:available", "float:held", "fees"] as const).map((account): Read => ({
    _tag: "Balance",
    account,
    currency
  })),
  ...placeReads(from, currency)
]

const legs = (
  { amount, customerFee }: Held,
  direction: Leg["direction"],
  account: Account,
  what: { readonly principal: Leg["what"]; readonly fee: Leg["what"] }
): ReadonlyArray<Leg> => {
  const leg = { currency: amount.currency, direction, account }
  return [
    { ...leg, units: amount.units, what: what.principal },
    ...(customerFee.units > 0n ? [{ ...leg, units: customerFee.units, what: what.fee }] : [])
  ]
}

const posted = ({ id }: Held, all: ReadonlyArray<Leg>): Change => ({ _tag: "Posted", operationId: id, legs: all })

/**
 * Reserves amount and fee: `float:available` → `float:held`. The fee is charged on top, in the currency of the amount. Refuses
 * what cannot be spent of the float (`insufficient_balance`), and what is no currency of the table (`unsupported_asset`).
 */
export const hold = (
  view: View,
  operation: Held,
  currencies: Pick<CurrencyTable, "byCode">
): Result.Result<Change, Refusal> => {
  const { amount, customerFee } = operation
  const currency = currencies.byCode(amount.currency)
  if (currency === undefined)
    return Result.fail(new Refusal({ code: "unsupported_asset", message: `${amount.currency} is not known.` }))
  const refused = refuseSpending(view, currency, amount.units + customerFee.units)
  if (refused !== undefined) return Result.fail(refused)
  const what = { principal: "hold", fee: "hold" } as const
  return Result.succeed(
    posted(operation, [
      ...legs(operation, "DEBIT", "float:available", what),
      ...legs(operation, "CREDIT", "float:held", what)
    ])
  )
}

/** Gives back what was reserved: `float:held` → `float:available`. */
export const release = (operation: Held): Change => {
  const what = { principal: "release", fee: "release" } as const
  return posted(operation, [
    ...legs(operation, "DEBIT", "float:held", what),
    ...legs(operation, "CREDIT", "float:available", what)
  ])
}

/** Spends what was reserved: the amount from where the value stood (`from`), the fee becomes income. It has happened, so it is booked whatever stands there. */
export const take = (operation: Held, from: Account, further: ReadonlyArray<Leg> = []): Change => {
  const { amount, customerFee } = operation
  const leg = { currency: amount.currency, direction: "CREDIT" } as const
  return {
    _tag: "Posted",
    operationId: operation.id,
    legs: [
      ...legs(operation, "DEBIT", "float:held", { principal: "principal", fee: "fee" }),
      { ...leg, account: from, units: amount.units, what: "principal" },
      ...(customerFee.units > 0n ? [{ ...leg, account: "fees", units: customerFee.units, what: "fee" } as const] : []),
      ...further
    ],
    happened: true
  }
}
