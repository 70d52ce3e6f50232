import type { ChangeTenantSettings } from "@bursar/api/operator/OperatorTenant"
import { type SignedProduct, signedProducts } from "@bursar/api/annotations/SignedProduct"
import { parseRange } from "@bursar/server/http/clientAddress"
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { CommandFailed } from "../config/CommandFailed.ts"
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
    Flag.withDescription("Replace the allowlist; you can repeat this flag"),
    Flag.atLeast(0)
  ),
  allowAny: Flag.Boolean("allow-any").pipe(Flag.withDescription("Allow every IP address"), Flag.withDefault(false)),
  ceiling: whole("ceiling", "Requests per minute over all keys; 0 removes the ceiling"),
  credit: Flag.String("credit").pipe(
    Flag.withDescription(
      "Credit deposits of these sources only: REGISTERED, DERIVED, <NAME>_ISSUED, <NAME>_IMPORTED with the name of the service; you can repeat this flag"
    ),
    Flag.atLeast(0)
  ),
  creditHistorical: yesNo(
    "credit-historical",
    "Whether to credit deposits that were mined before their address was registered"
  ),
  addressProof: yesNo(
    "address-proof",
    "Whether deposits to addresses with the tenant's own keys count only after a proof"
  ),
  signed: Flag.Literals("signed", [...signedProducts, "none"]).pipe(
    Flag.withDescription(
      "Replace the list of what needs a signature beside chain payouts and imports of keys; you can repeat this flag, none empties the list"
    ),
    Flag.atLeast(0)
  ),
  holdOnIssuance: yesNo("hold-on-issuance", "Whether issued addresses start with a hold on sweeping"),
  holdOnImport: yesNo("hold-on-import", "Whether addresses of imported keys start with a hold on sweeping"),
  holdOnArrival: yesNo(
    "hold-on-arrival",
    "Whether a deposit puts a hold on the sweeping of its address until the tenant has seen it"
  ),
  withdrawals: yesNo("withdrawals", "Whether withdrawals are accepted"),
  withdrawalLimit: dollars("withdrawal-limit", "The limit for withdrawals within the window"),
  withdrawalWindowHours: whole("withdrawal-window-hours", "The length of the window, at most 720"),
  withdrawalReview: dollarsOrNone("withdrawal-review", "The value from which an operator must approve a withdrawal"),
  destinationCoolingHours: whole(
    "destination-cooling-hours",
    "The waiting time of a destination after its verification"
  ),
  payouts: yesNo("payouts", "Whether chain payouts are accepted"),
  payoutsOffOn: Flag.String("payouts-off-on").pipe(
    Flag.withDescription(
      "Replace the list of networks without payouts; you can repeat this flag, none empties the list"
    ),
    Flag.atLeast(0)
  ),
  payoutLimit: dollarsOrNone("payout-limit", "The limit per payout, on a chain or to a bank account"),
  payoutDailyLimit: dollarsOrNone("payout-daily-limit", "The limit for payouts over 24 hours"),
  payoutNewAddressLimit: dollarsOrNone(
    "payout-new-address-limit",
    "The limit over 24 hours to addresses and accounts that were first paid within these 24 hours"
  ),
  payoutReview: dollarsOrNone("payout-review", "The value from which an operator must approve a payout"),
  payoutMinimum: Flag.String("payout-minimum").pipe(
    Flag.withDescription(
      "Replace the minimum payouts, such as USDT_ETH=5; you can repeat this flag, none restores the currencies' own"
    ),
    Flag.atLeast(0)
  ),
  adjustmentReview: dollarsOrNone(
    "adjustment-review",
    "The value, over 24 hours, from which another operator must approve float adjustments"
  ),
  slippageBps: whole(
    "slippage-bps",
    "The slippage allowance of quotes, in hundredths of a percent; 0 makes quotes fixed prices"
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
  readonly signed: ReadonlyArray<SignedProduct | "none">
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

/**
 * The allowlist that the flags ask for; null admits every address, undefined says nothing of it. Fails, before anything is sent, where they contradict
 * each other or name what is no range.
 */
export const allowlistOf = Effect.fnUntraced(function* ({
  allow,
  allowAny
}: Pick<SettingsOptions, "allow" | "allowAny">) {
  if (allowAny && allow.length > 0)
    return yield* new CommandFailed({
      message: "--allow and --allow-any exclude each other: --allow-any lets every address in."
    })
  const wrong = allow.find((text) => parseRange(text) === undefined)
  if (wrong !== undefined)
    return yield* new CommandFailed({ message: `--allow: ${wrong} is no IP address and no CIDR range.` })
  return allowAny ? null : allow.length > 0 ? allow : undefined
})

const isYes = (answer: "yes" | "no"): boolean => answer === "yes"

/** `USDT_ETH=5` as the currency and its minimum. */
const minimumIn = (text: string): readonly [string, string] => {
  const at = text.indexOf("=")
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)]
}

const orNull = (text: string): string | null => (text === "none" ? null : text)

/** The change that the flags ask for beside that of the allowlist ({@link allowlistOf}). */
export const settingsOf = (options: SettingsOptions): ChangeTenantSettings => ({
  ...given(
    "tenant_ceiling_per_minute",
    Option.map(options.ceiling, (ceiling) => (ceiling === 0 ? null : ceiling))
  ),
  ...(options.credit.length > 0 ? { credit_sources: options.credit } : {}),
  ...given("credit_historical", Option.map(options.creditHistorical, isYes)),
  ...given("address_proof_required", Option.map(options.addressProof, isYes)),
  ...(options.signed.length > 0
    ? { signatures_required: signedProducts.filter((product) => options.signed.includes(product)) }
    : {}),
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
