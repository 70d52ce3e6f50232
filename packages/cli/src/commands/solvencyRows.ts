import type { SolvencySnapshot } from "@bursar/api/solvency/SolvencySnapshot"
import { format } from "@bursar/core/money/Amount"

/** Reserves against liabilities in the decimals of their currencies, a row for each. */
export const coverageRows = ({ currencies, summary }: Pick<SolvencySnapshot, "currencies" | "summary">) => {
  const decimals = new Map(currencies.map((one) => [one.currency, one.decimals]))
  return summary.map(({ covered, currency, difference, liabilities, proven, stated, unattributed, unproven }) => {
    const amount = (units: string) => format(BigInt(units), decimals.get(currency) ?? 0)
    return {
      currency,
      liabilities: amount(liabilities),
      proven: amount(proven),
      stated: amount(stated),
      unproven: amount(unproven),
      unattributed: amount(unattributed),
      difference: amount(difference),
      covered: covered ? "yes" : "NO"
    }
  })
}
