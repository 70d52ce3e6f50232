import type { ChangeTenantSettings } from "@bursar/api/operator/OperatorTenant"
import { Option } from "effect"
import { Flag } from "effect/cli"
import { given } from "./operator.ts"

const yesNo = (name: string, description: string) =>
  Flag.Literals(name, ["yes", "no"]).pipe(Flag.withDescription(description), Flag.optional)

const dollars = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(`${description}, in US dollars`), Flag.optional)

const dollarsOrNone = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(`${description}, in US dollars, or none`), Flag.optional)

const whole = (name: string, description: string) =>
  Flag.Int(name).pipe(Flag.withDescription(description), Flag.optional)

/** The settings of a tenant as flags; what is not given stays as it is. */
export const settingsFlags = {
  allow: Flag.String("allow").pipe(
    Flag.withDescription("Replace the allowlist; may be given several times"),
    Flag.atLeast(0)
  ),
  allowAny: Flag.Boolean("allow-any").pipe(Flag.withDescription("Let every address call"), Flag.withDefault(false)),
  ceiling: whole("ceiling", "Requests per minute over all keys; 0 removes the ceiling"),
  credit: Flag.String("credit").pipe(
    Flag.withDescription(
      "Credit deposits of these sources only: REGISTERED, DERIVED, <NAME>_ISSUED, <NAME>_IMPORTED with the name of the service; may be given several times"
    ),
    Flag.atLeast(0)
  ),
  creditHistorical: yesNo("credit-historical", "Credit arrivals mined before their address was registered"),
  addressProof: yesNo("address-proof", "Arrivals on addresses whose keys the tenant holds count once they are proven"),
  holdOnIssuance: yesNo("hold-on-issuance", "Issued addresses start with their sweeping held"),
  holdOnImport: yesNo("hold-on-import", "Addresses of imported keys start with their sweeping held"),
  holdOnArrival: yesNo("hold-on-arrival", "An arrival holds the sweeping of its address until the tenant has seen it"),
  withdrawals: yesNo("withdrawals", "Withdrawals to the tenant's own destinations are taken"),
  withdrawalLimit: dollars("withdrawal-limit", "What may be withdrawn within the window"),
  withdrawalWindowHours: whole("withdrawal-window-hours", "The length of the window, at most 720"),
  withdrawalReview: dollarsOrNone("withdrawal-review", "From this worth on an operator has to approve a withdrawal"),
  destinationCoolingHours: whole("destination-cooling-hours", "How long a destination rests after it was verified"),
  payouts: yesNo("payouts", "Chain payouts are taken"),
  payoutsOffOn: Flag.String("payouts-off-on").pipe(
    Flag.withDescription(
      "Replace the networks on which they are not; may be given several times, none empties the list"
    ),
    Flag.atLeast(0)
  ),
  payoutLimit: dollarsOrNone("payout-limit", "The most that one payout, on a chain or to a bank account, may be worth"),
  payoutDailyLimit: dollarsOrNone("payout-daily-limit", "The most over 24 hours"),
  payoutNewAddressLimit: dollarsOrNone(
    "payout-new-address-limit",
    "Of that, the most to addresses and accounts first paid within them"
  ),
  payoutReview: dollarsOrNone("payout-review", "From this worth on an operator has to approve a payout"),
  payoutMinimum: Flag.String("payout-minimum").pipe(
    Flag.withDescription(
      "Replace the least that is sent of currencies, such as USDT_ETH=5; may be given several times, none goes by the currencies' own"
    ),
    Flag.atLeast(0)
  ),
  adjustmentReview: dollarsOrNone(
    "adjustment-review",
    "From this worth on, over 24 hours, another operator has to approve an adjustment of the float"
  ),
  slippageBps: whole(
    "slippage-bps",
    "By how many hundredths of a percent a quote may be missed; 0 makes quotes fixed prices"
  )
}

/** What {@link settingsFlags} gave. */
export interface SettingsOptions {
  readonly allow: ReadonlyArray<string>
  readonly allowAny: boolean
  readonly ceiling: Option.Option<number>
  readonly credit: ReadonlyArray<string>
  readonly creditHistorical: Option.Option<"yes" | "no">
  readonly addressProof: Option.Option<"yes" | "no">
  readonly holdOnIssuance: Option.Option<"yes" | "no">
  readonly holdOnImport: Option.Option<"yes" | "no">
  readonly holdOnArrival: Option.Option<"yes" | "no">
  readonly withdrawals: Option.Option<"yes" | "no">
  readonly withdrawalLimit: Option.Option<string>
  readonly withdrawalWindowHours: Option.Option<number>
  readonly withdrawalReview: Option.Option<string>
  readonly destinationCoolingHours: Option.Option<number>
  readonly payouts: Option.Option<"yes" | "no">
  readonly payoutsOffOn: ReadonlyArray<string>
  readonly payoutLimit: Option.Option<string>
  readonly payoutDailyLimit: Option.Option<string>
  readonly payoutNewAddressLimit: Option.Option<string>
  readonly payoutReview: Option.Option<string>
  readonly payoutMinimum: ReadonlyArray<string>
  readonly adjustmentReview: Option.Option<string>
  readonly slippageBps: Option.Option<number>
}

const isYes = (answer: "yes" | "no"): boolean => answer === "yes"

/** `USDT_ETH=5` as the currency and its minimum. */
const minimumIn = (text: string): readonly [string, string] => {
  const at = text.indexOf("=")
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)]
}

const orNull = (text: string): string | null => (text === "none" ? null : text)

/** The change that the flags ask for. */
export const settingsOf = (options: SettingsOptions): ChangeTenantSettings => ({
  ...(options.allowAny ? { ip_allowlist: null } : options.allow.length > 0 ? { ip_allowlist: options.allow } : {}),
  ...given(
    "tenant_ceiling_per_minute",
    Option.map(options.ceiling, (ceiling) => (ceiling === 0 ? null : ceiling))
  ),
  ...(options.credit.length > 0 ? { credit_sources: options.credit } : {}),
  ...given("credit_historical", Option.map(options.creditHistorical, isYes)),
  ...given("address_proof_required", Option.map(options.addressProof, isYes)),
  ...given("hold_on_issuance", Option.map(options.holdOnIssuance, isYes)),
  ...given("hold_on_import", Option.map(options.holdOnImport, isYes)),
  ...given("hold_on_arrival", Option.map(options.holdOnArrival, isYes)),
  ...given("withdrawals_enabled", Option.map(options.withdrawals, isYes)),
  ...given("withdrawal_limit_usd", options.withdrawalLimit),
  ...given("withdrawal_window_hours", options.withdrawalWindowHours),
  ...given("withdrawal_review_usd", Option.map(options.withdrawalReview, orNull)),
  ...given("destination_cooling_hours", options.destinationCoolingHours),
  ...given("payouts_enabled", Option.map(options.payouts, isYes)),
  ...(options.payoutsOffOn.length > 0
    ? { payouts_off_on: options.payoutsOffOn.flatMap((network) => (network === "none" ? [] : [network])) }
    : {}),
  ...given("payout_limit_usd", Option.map(options.payoutLimit, orNull)),
  ...given("payout_daily_limit_usd", Option.map(options.payoutDailyLimit, orNull)),
  ...given("payout_new_address_limit_usd", Option.map(options.payoutNewAddressLimit, orNull)),
  ...given("payout_review_usd", Option.map(options.payoutReview, orNull)),
  ...(options.payoutMinimum.length > 0
    ? {
        payout_minimums: Object.fromEntries(
          options.payoutMinimum.filter((text) => text !== "none").map((text) => minimumIn(text))
        )
      }
    : {}),
  ...given("adjustment_review_usd", Option.map(options.adjustmentReview, orNull)),
  ...given("slippage_bps", options.slippageBps)
})
