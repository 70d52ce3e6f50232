import type { Read } from "../engine/Read.ts"
import { readGroup } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import { type Amount, of } from "../money/Amount.ts"
import type { Currency } from "../money/Currency.ts"
import { FeeRule, feeOf, feeRuleGroup, ranked, ruleFor } from "./FeeRule.ts"
import type { Product } from "./Product.ts"

/** The fee rules that count at a moment: the tenant's own and, where none of them matches, those of the service. */
export interface FeeRules {
  readonly own: ReadonlyArray<FeeRule>
  readonly defaults: ReadonlyArray<FeeRule>
  readonly now: Timestamp
}

/** What is to be charged for. */
export interface Chargeable {
  readonly product: Product
  /** The currency of the amount, in which the fee is charged too. */
  readonly currency: Pick<Currency, "code" | "decimals">
  /** The amount in base units of the currency. */
  readonly units: bigint
  readonly rail: string | null
}

/** A fee, and the rule that says so; no rule, no fee. */
export interface Charge {
  readonly fee: Amount
  readonly rule: FeeRule | undefined
}

/** What a command reads that charges a fee. */
export const feeReads: ReadonlyArray<Read> = [readGroup(FeeRule, feeRuleGroup)]

/** The rules that count when a command is decided. The command reads `feeReads`. */
export const feeRulesAt = (view: View, defaults: ReadonlyArray<FeeRule>): FeeRules => ({
  own: view.group(FeeRule, feeRuleGroup),
  defaults,
  now: view.now
})

/**
 * What a product costs its tenant, charged on top in the currency of the amount. Every decider charges by this and every
 * estimate tells by it, so that an estimate is what is charged as long as the rules stay as they are.
 */
export const chargeOf = ({ defaults, now, own }: FeeRules, { currency, product, rail, units }: Chargeable): Charge => {
  const rule = ruleFor(ranked(own, defaults, now), { product, currency: currency.code, rail })
  return { fee: of(feeOf(rule, units, currency), currency.code), rule }
}
