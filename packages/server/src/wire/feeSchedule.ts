import type { FeeSchedule } from "@bursar/api/wire/Fees"
import { toIso } from "@bursar/core/base/Timestamp"
import { format } from "@bursar/core/money/Amount"
import type { Decimal } from "@bursar/core/money/Rate"
import type { FeeRule } from "@bursar/core/pricing/FeeRule"

const text = ({ decimals, units }: Decimal): string => format(units, decimals)

/** A fee rule as it is charged. */
export const feeSchedule = (rule: FeeRule): FeeSchedule => ({
  product: rule.product,
  currency: rule.currency,
  rail: rule.rail,
  percent: text(rule.percent),
  minimum_fee: text(rule.minimumFee),
  priority: rule.priority,
  effective_from: toIso(rule.effectiveFrom)
})
