import { Result } from "effect"
import { Refusal } from "../base/Refusal.ts"
import { type Amount, format } from "../money/Amount.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { FromTo } from "../money/FromTo.ts"
import { belowMinimum } from "../money/refuseAmount.ts"
import type { CustodianPair } from "../port/Custodian.ts"

/** From what amount on a custodian converts a pair, and in which steps. */
export type PairTerms = Pick<CustodianPair, "minimum" | "step">

/** What is to be converted. */
export interface Conversion {
  readonly amount: Amount
  /** What is received. */
  readonly toCurrency: string
  /** Null where the custodian does not convert the pair now. */
  readonly pair: PairTerms | null
  readonly currencies: CurrencyTable
}

const refuse = (code: Refusal["code"], message: string) => Result.fail(new Refusal({ code, message }))

/** The least of a pair that is converted: its minimum, or the next multiple of its step; null where the custodian says no minimum. */
export const leastConverted = ({ minimum, step }: PairTerms): bigint | null => {
  if (minimum === null || step === null) return minimum?.units ?? null
  const over = minimum.units % step.units
  return over === 0n ? minimum.units : minimum.units - over + step.units
}

/**
 * The currencies of a conversion that the custodian makes. Refuses a currency that is not known (`unsupported_asset`), and what the
 * custodian does not convert: the pair (`pair_unavailable`), so little (`below_minimum`), or what is no multiple of its step (`amount_too_precise`).
 */
export const convertible = ({ amount, currencies, pair, toCurrency }: Conversion): Result.Result<FromTo, Refusal> => {
  const [from, to] = [currencies.byCode(amount.currency), currencies.byCode(toCurrency)]
  if (from === undefined || to === undefined) return refuse("unsupported_asset", "There is no such currency.")
  if (from.code === to.code || pair === null)
    return refuse("pair_unavailable", `${from.code} is not converted to ${to.code}.`)
  const shown = (units: bigint) => `${format(units, from.decimals)} ${from.code}`
  const { step } = pair
  const least = leastConverted(pair)
  if (least !== null && amount.units < least)
    return Result.fail(belowMinimum(from, least, `The least that is converted is ${shown(least)}.`))
  if (step !== null && amount.units % step.units !== 0n)
    return refuse("amount_too_precise", `The amount must be a multiple of ${shown(step.units)}.`)
  return Result.succeed({ from, to })
}
