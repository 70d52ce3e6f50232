import { parse } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { defaultReconcileLimits, type ReconcileLimits } from "@bursar/worker/reconcile/ReconcileLimits"
import { Result, Schema } from "effect"
import { integer, listed, type Present, url } from "./variable.ts"

/** The variables that say how the books are compared with the world. */
export const reconciliationVariables = {
  RECONCILE_SECONDS: Schema.optionalKey(integer(1, 86_400)),
  RECONCILE_ALARM_SECONDS: Schema.optionalKey(integer(0, 2_592_000)),
  RECONCILE_STATEMENT_SECONDS: Schema.optionalKey(integer(0, 2_592_000)),
  RECONCILE_TOLERANCES: Schema.optionalKey(Schema.NonEmptyString),
  RECONCILE_ALARM_URL: Schema.optionalKey(url(["http:", "https:"])),
  RECONCILE_ON_ALARM: Schema.optionalKey(Schema.Literals(["tell", "stop_payouts"]))
}

/** How a service on one's own machine compares them: so often that a change is seen soon. */
export const localReconciliation: ReconcileLimits = {
  ...defaultReconcileLimits,
  everyMs: 20_000,
  pollMs: 2_000,
  atLeastMs: 4_000,
  secondLookMs: 2_000,
  statementGraceMs: 60_000
}

const tolerancesOf = (text: string | undefined, currencies: CurrencyTable) => {
  const amounts = new Map<string, bigint>()
  const mistakes = listed(text).flatMap((part) => {
    const [code = "", amount = "", ...rest] = part.split(":").map((piece) => piece.trim())
    const currency = currencies.byCode(code)
    if (currency === undefined) return [`RECONCILE_TOLERANCES: ${code || part} is not a currency`]
    if (amounts.has(code)) return [`RECONCILE_TOLERANCES: ${code} stands twice`]
    const parsed = parse(amount, currency)
    if (rest.length > 0 || Result.isFailure(parsed))
      return [`RECONCILE_TOLERANCES: Expected ${code}:<amount> with at most ${currency.decimals} decimals`]
    amounts.set(code, parsed.success.units)
    return []
  })
  return { amounts, mistakes }
}

/** What is wrong with the amounts that alarm nobody. */
export const reconciliationMistakes = (given: Present, currencies: CurrencyTable): ReadonlyArray<string> =>
  tolerancesOf(given["RECONCILE_TOLERANCES"], currencies).mistakes

/** How often it is looked, in between and again, where it is compared so often. */
const paceOf = (everyMs: number): Pick<ReconcileLimits, "atLeastMs" | "everyMs" | "pollMs" | "secondLookMs"> => {
  const { atLeastMs, pollMs, secondLookMs } = defaultReconcileLimits
  return {
    everyMs,
    atLeastMs: Math.min(atLeastMs, everyMs),
    pollMs: Math.min(pollMs, everyMs),
    secondLookMs: Math.min(secondLookMs, everyMs)
  }
}

/** How the books are compared with the world. */
export const reconciliationOf = (
  env: Schema.Struct.Type<typeof reconciliationVariables>,
  currencies: CurrencyTable
): ReconcileLimits => ({
  ...defaultReconcileLimits,
  ...(env.RECONCILE_SECONDS === undefined ? {} : paceOf(env.RECONCILE_SECONDS * 1_000)),
  ...(env.RECONCILE_ALARM_SECONDS === undefined ? {} : { alarmAfterMs: env.RECONCILE_ALARM_SECONDS * 1_000 }),
  ...(env.RECONCILE_STATEMENT_SECONDS === undefined
    ? {}
    : { statementGraceMs: env.RECONCILE_STATEMENT_SECONDS * 1_000 }),
  tolerances: tolerancesOf(env.RECONCILE_TOLERANCES, currencies).amounts,
  onAlarm: env.RECONCILE_ON_ALARM ?? "tell",
  alarmUrl: env.RECONCILE_ALARM_URL ?? null
})
