import { Result } from "effect"
import { Refusal } from "../base/Refusal.ts"
import type { Amount } from "../money/Amount.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { FromTo } from "../money/FromTo.ts"
import type { OperationKind } from "../operation/Operation.ts"

/** What a transfer is to move. */
export interface Move {
  readonly kind: OperationKind
  readonly amount: Amount
  /** What the payee gets; the currency of the amount for all but an OFF_RAMP. */
  readonly toCurrency: string
  readonly currencies: CurrencyTable
}

const refuse = (code: Refusal["code"], message: string) => Result.fail(new Refusal({ code, message }))

/**
 * The currencies of a transfer that its kind can make: an OFF_RAMP moves any currency into fiat, the others fiat unchanged. Refuses
 * others (`unsupported_asset`, `pair_unavailable`).
 */
export const movable = ({ amount, currencies, kind, toCurrency }: Move): Result.Result<FromTo, Refusal> => {
  const [from, to] = [currencies.byCode(amount.currency), currencies.byCode(toCurrency)]
  if (from === undefined || (kind !== "OFF_RAMP" && from.kind !== "FIAT"))
    return refuse("unsupported_asset", `${amount.currency} cannot be moved by ${kind}.`)
  if (to?.kind !== "FIAT") return refuse("unsupported_asset", `${toCurrency} is not paid to bank accounts.`)
  return kind !== "OFF_RAMP" && to.code !== from.code
    ? refuse("pair_unavailable", `${kind} converts nothing: what is received is ${from.code}.`)
    : Result.succeed({ from, to })
}
