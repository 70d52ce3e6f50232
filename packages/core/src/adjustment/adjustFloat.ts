import { BigInt as Big, Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import type { Read } from "../engine/Read.ts"
import { Refusal } from "../base/Refusal.ts"
import type { View } from "../engine/View.ts"
import { type Account, isAsset } from "../ledger/Account.ts"
import { type Amount, format } from "../money/Amount.ts"
import { arrivalReads, assignedBy, type Assigning, refuseAssigning } from "./assignArrival.ts"
import { inSuspense } from "../operation/inSuspense.ts"
import { correctedReads, type Correcting, refuseCorrecting } from "./correctOperation.ts"
import { placeReads } from "../ledger/coverShortfall.ts"
import type { Currency, CurrencyTable } from "../money/Currency.ts"
import { defaultCurrencies } from "../money/defaultCurrencies.ts"
import { newOperation } from "../operation/newOperation.ts"
import { Operation } from "../operation/Operation.ts"
import { SuspenseTaken, suspenseTaken, suspenseTakenRead } from "../operation/SuspenseTaken.ts"
import type { OperationDetails } from "../operation/OperationDetails.ts"
import { reservationReads, unreservedAt } from "../operation/reserveAssets.ts"
import { depositsOf, mayWriteOff, ownNativeOf, refuseSpending, spendableReads } from "../operation/spendable.ts"
import { putRecord } from "../engine/Records.ts"

/** A correction of the books by operators: of a float, or of where the value behind it stands. */
export interface Adjustment extends Pick<Assigning, "assigns" | "proposal">, Pick<Correcting, "corrects"> {
  /** Above zero adds to the float, below takes from it. Where the value moves between two places it is above zero. */
  readonly amount: Amount
  /** The account that holds the value against the float, or that gets what is moved. */
  readonly against: Account
  /** Where the value stood that is moved to `against`; null or absent where the float changes. */
  readonly from?: Account | null
  readonly reason: string
  /** The operator who made it, and the one who approved it; null where nobody had to, absent where no person made it. */
  readonly by?: {
    readonly made: string
    readonly approved: string | null
    /** What it counts for where nobody had to approve it, in US cents; null where that is not known, absent where it was approved. */
    readonly cents?: bigint | null
  }
}

type Place = Pick<Adjustment, "against" | "amount" | "assigns" | "corrects" | "from">

const sideReads = (account: Account, currency: string): ReadonlyArray<Read> =>
  isAsset(account)
    ? [...placeReads(account, currency), ...reservationReads(account, currency)]
    : [{ _tag: "Balance", account, currency }]

/** What booking an adjustment reads. */
export const adjustmentReads = (
  { against, amount, assigns = null, corrects = null, from }: Place,
  currencies: Pick<CurrencyTable, "byCode">
): ReadonlyArray<Read> => [
  ...arrivalReads({ assigns }),
  ...correctedReads({ corrects }),
  suspenseTakenRead(amount.currency),
  ...spendableReads(amount.currency, currencies),
  ...[against, from ?? []].flat().flatMap((account) => sideReads(account, amount.currency))
]

const nothing = new Refusal({ code: "amount_invalid", message: "An adjustment must move something." })

/** Why so much cannot leave a place: less stands there, beside what operations in flight take. */
const missingAt = (
  view: View,
  account: Account,
  { currency, units }: Amount,
  decimals: number
): Refusal | undefined => {
  if (!isAsset(account)) return undefined
  const free = unreservedAt(view, account, currency)
  if (free >= units) return undefined
  const there = { amount: format(Big.max(free, 0n), decimals), currency }
  return new Refusal({
    code: "insufficient_balance",
    message: `${account} has ${there.amount} ${currency} that no operation in flight needs.`,
    detail: { place: account, available: there, required: { amount: format(units, decimals), currency } }
  })
}

/**
 * Why so much cannot be credited out of suspense without naming an arrival: less stands there. It may have stood there when an operator looked, and was
 * assigned or taken back since. Undefined where it can, or none of it is credited. What is moved out of a place against suspense credits nobody, and
 * may be on its way: it arrives there later. The money of a sandbox tenant comes from nowhere.
 */
const missingInSuspense = (
  view: View,
  { against, amount: { currency, units }, assigns = null, from = null }: Place,
  decimals: number
): Refusal | undefined => {
  if (against !== "suspense" || from !== null || assigns !== null || units <= 0n) return undefined
  const left = inSuspense(view, currency)
  if (left >= units || view.tenant.kind === "SANDBOX") return undefined
  const there = { amount: format(Big.max(left, 0n), decimals), currency }
  return new Refusal({
    code: "insufficient_balance",
    message: `Suspense has ${there.amount} ${currency}.`,
    detail: { place: "suspense", available: there, required: { amount: format(units, decimals), currency } }
  })
}

/** Why so much cannot be taken from the float and a place; undefined where it can. */
const refuseTaking = (
  view: View,
  against: Account,
  currency: Pick<Currency, "asset" | "code" | "decimals">,
  units: bigint
): Refusal | undefined => {
  // coins that the tenant holds itself leave the float with them: that takes nothing that is backed
  if (against === ownNativeOf(currency))
    return view.balance("float:available", currency.code).units < units
      ? new Refusal({ code: "insufficient_balance", message: "The float has less than that." })
      : undefined
  if (against === depositsOf(currency) && mayWriteOff(view, currency, units)) return undefined
  return refuseSpending(view, currency, units)
}

/** Why an adjustment is none, whatever the books say: nobody need be asked to approve it. Undefined where it is one. */
export const refuseByItself = ({ against, amount, from = null }: Place): Refusal | undefined => {
  if (amount.units === 0n || (from !== null && amount.units < 0n)) return nothing
  return from === against
    ? new Refusal({ code: "invalid_request", message: "A move needs two different places." })
    : undefined
}

/** Why an adjustment cannot be booked; undefined where it can. */
const refusalOf = (view: View, place: Place, currencies: Pick<CurrencyTable, "byCode">): Refusal | undefined => {
  const { against, amount, from = null } = place
  const { currency: code, units } = amount
  const currency = currencies.byCode(code) ?? { code, asset: null, decimals: 0 }
  const wrong = refuseByItself(place)
  if (wrong !== undefined) return wrong
  if (from !== null) return missingAt(view, from, amount, currency.decimals)
  if (units > 0n) return missingInSuspense(view, place, currency.decimals)
  const taken: Amount = { currency: code, units: -units }
  return refuseTaking(view, against, currency, taken.units) ?? missingAt(view, against, taken, currency.decimals)
}

const detailsOf = ({ against, assigns, by, corrects, from, reason }: Adjustment): OperationDetails<"ADJUSTMENT"> => ({
  reason,
  ...(by === undefined ? {} : { made_by: by.made, approved_by: by.approved }),
  // what the checker holds the limit of adjustments without approval against
  ...(by?.cents == null ? {} : { usd_cents: by.cents.toString() }),
  // what it holds the legs against
  ...(from === undefined || from === null ? { against } : { moved: { from, to: against } }),
  ...(assigns == null ? {} : { assigns }),
  ...(corrects == null ? {} : { corrects })
})

/** Counts what an adjustment takes out of suspense without naming the arrival: what is credited of it, and what is moved out of a place against it. */
const takenFromSuspense = (view: View, { against, amount, assigns = null }: Place): ReadonlyArray<Change> => {
  const { currency, units } = amount
  return against === "suspense" && assigns === null && units > 0n
    ? [putRecord(SuspenseTaken, { currency, units: suspenseTaken(view, currency) + units })]
    : []
}

/** Why an adjustment cannot be about the operations that it names; undefined where it can. */
export const refuseNaming = (view: View, adjustment: Assigning & Correcting): Refusal | undefined =>
  refuseAssigning(view, adjustment) ?? refuseCorrecting(view, adjustment)

/** Books an ADJUSTMENT as `adjustFloat` does. */
export const bookAdjustment = (
  view: View,
  adjustment: Adjustment,
  currencies: Pick<CurrencyTable, "byCode">
): Result.Result<{ readonly operation: Operation; readonly changes: ReadonlyArray<Change> }, Refusal> => {
  const refused = refusalOf(view, adjustment, currencies) ?? refuseNaming(view, adjustment)
  if (refused !== undefined) return Result.fail(refused)
  const { against, amount, from = null, proposal = null } = adjustment
  const adds = amount.units > 0n
  const details = detailsOf(adjustment)
  const operation = newOperation(view, { kind: "ADJUSTMENT", status: "SETTLED", amount, details, settledAt: view.now })
  const units = adds ? amount.units : -amount.units
  const leg = { currency: amount.currency, units, what: "adjustment" } as const
  return Result.succeed({
    operation,
    changes: [
      putRecord(Operation, operation),
      ...assignedBy(view, adjustment, { proposal, operationId: operation.id }),
      ...takenFromSuspense(view, adjustment),
      {
        _tag: "Posted",
        operationId: operation.id,
        legs: [
          { ...leg, account: against, direction: adds ? "DEBIT" : "CREDIT" },
          { ...leg, account: from ?? "float:available", direction: adds ? "CREDIT" : "DEBIT" }
        ]
      }
    ]
  })
}

/**
 * Books an ADJUSTMENT: `against` → `float:available`, or back where the amount is below zero; or `from` → `against`, which leaves
 * the float as it is. Refuses nothing at all (`amount_invalid`), what cannot be spent of the float, and what does not stand in suspense or at the
 * place that it is taken from or is taken by an operation in flight (`insufficient_balance`); and to assign an arrival that is assigned
 * already, or not just what it brought; and to correct an operation that is not the tenant's, not over or a correction itself.
 */
export const adjustFloat = (
  adjustment: Adjustment,
  currencies: Pick<CurrencyTable, "byCode"> = defaultCurrencies
): Command<Operation> => ({
  name: "AdjustFloat",
  reads: adjustmentReads(adjustment, currencies),
  decide: (view) =>
    Result.map(bookAdjustment(view, adjustment, currencies), ({ changes, operation }) => ({
      changes,
      reply: operation
    }))
})
