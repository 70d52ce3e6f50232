import type { Timestamp } from "../base/Timestamp.ts"
import type { Currency } from "../money/Currency.ts"
import { type Decimal, divide } from "../money/Rate.ts"
import type { Product } from "./Product.ts"
import { isSameRail } from "./railCharged.ts"
import { defineRecord } from "../engine/Records.ts"

/** What an operation of a kind costs. A field that is null matches anything. */
export interface FeeRule {
  readonly id: string
  readonly product: Product | null
  readonly currency: string | null
  readonly rail: string | null
  /** A percentage: 2 means 2 percent. */
  readonly percent: Decimal
  /** In whole units of the currency of the amount. */
  readonly minimumFee: Decimal
  /** The lower goes first. */
  readonly priority: number
  readonly effectiveFrom: Timestamp
  readonly createdAt: Timestamp
  /** When operators took it back; null while it stands. */
  readonly retiredAt: Timestamp | null
}

/** The group of all fee rules of a tenant. */
export const feeRuleGroup = "all"

/** What is to be charged for. */
export interface Charged {
  readonly product: Product
  readonly currency: string
  readonly rail: string | null
}

const named = ({ currency, product, rail }: FeeRule): number =>
  [product, currency, rail].filter((field) => field !== null).length

/** The time of a tenant may be ahead of the clock of whoever asks: what holds at once holds for them too. */
const inForce = ({ createdAt, effectiveFrom, retiredAt }: FeeRule, now: Timestamp): boolean =>
  effectiveFrom <= Math.max(now, createdAt) && retiredAt === null

const byRank = (one: FeeRule, other: FeeRule): number =>
  one.priority - other.priority ||
  named(other) - named(one) ||
  other.effectiveFrom - one.effectiveFrom ||
  other.createdAt - one.createdAt ||
  (one.id < other.id ? -1 : 1)

/**
 * The rules in force in the order in which they are tried: the tenant's before the defaults, then by priority, then the more
 * specific, then the newest. The first that matches is charged.
 */
export const ranked = (
  own: ReadonlyArray<FeeRule>,
  defaults: ReadonlyArray<FeeRule>,
  now: Timestamp
): ReadonlyArray<FeeRule> =>
  [own, defaults].flatMap((rules) => rules.filter((rule) => inForce(rule, now)).toSorted(byRank))

const matches = (rule: FeeRule, { currency, product, rail }: Charged): boolean =>
  (rule.product === null || rule.product === product) &&
  (rule.currency === null || rule.currency === currency) &&
  (rule.rail === null || (rail !== null && isSameRail(rule.rail, rail)))

/** The rule that is charged; undefined where none matches, and nothing is charged. */
export const ruleFor = (rules: ReadonlyArray<FeeRule>, charged: Charged): FeeRule | undefined =>
  rules.find((rule) => matches(rule, charged))

/** What a rule charges for an amount, in base units of its currency: the greater of percentage and minimum, rounded up. */
export const feeOf = (
  rule: Pick<FeeRule, "minimumFee" | "percent"> | undefined,
  units: bigint,
  { decimals }: Pick<Currency, "decimals">
): bigint => {
  if (rule === undefined) return 0n
  const { minimumFee, percent } = rule
  const share = divide(units * percent.units, 100n * 10n ** BigInt(percent.decimals), "up")
  const least = divide(minimumFee.units * 10n ** BigInt(decimals), 10n ** BigInt(minimumFee.decimals), "up")
  return share > least ? share : least
}

/** The fee rules of a tenant are one group. */
export const FeeRule = defineRecord<FeeRule>({ name: "FeeRule", key: ({ id }) => id, group: () => feeRuleGroup })
