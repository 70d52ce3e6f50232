import { ChangeTenantSettings, type OperatorTenant } from "@bursar/api/operator/OperatorTenant"
import { type Option, Schema } from "effect"

/** The texts between commas, without those that are empty. */
export const listIn = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")

/** What a setting is, by which it is written and read. */
type FieldKind = "flag" | "number" | "figure" | "list" | "maybeList" | "map"

/** The settings that are changed together, in the words of a person. */
export const settingGroups = {
  Payouts: {
    payouts_enabled: ["Payouts are made", "flag"],
    payouts_off_on: ["Not on these networks", "list"],
    payout_limit_usd: ["Most for one payout, USD", "figure"],
    payout_daily_limit_usd: ["Most within 24 hours, USD", "figure"],
    payout_new_address_limit_usd: ["Most within 24 hours to new receivers, USD", "figure"],
    payout_review_usd: ["Reviewed from, USD", "figure"],
    payout_minimums: ["Least by currency, such as USDT_ETH=5, BTC=0.001", "map"]
  },
  Withdrawals: {
    withdrawals_enabled: ["Withdrawals are made", "flag"],
    withdrawal_limit_usd: ["Most within the window, USD", "number"],
    withdrawal_window_hours: ["Window, hours", "number"],
    withdrawal_review_usd: ["Reviewed from, USD", "figure"],
    destination_cooling_hours: ["Hours before a new destination receives", "number"],
    adjustment_review_usd: ["Adjustments take another operator from, USD", "figure"],
    slippage_bps: ["Slippage of quotes, hundredths of a percent", "number"]
  },
  Intake: {
    credit_sources: ["Sources of addresses that are credited", "list"],
    credit_historical: ["What arrived earlier is credited", "flag"],
    address_proof_required: ["Its own addresses count only once proven", "flag"],
    hold_on_issuance: ["Issued addresses start held", "flag"],
    hold_on_import: ["Imported addresses start held", "flag"],
    hold_on_arrival: ["A deposit holds its address", "flag"]
  },
  Access: {
    ip_allowlist: ["Addresses that may call; “any” for all", "maybeList"],
    tenant_ceiling_per_minute: ["Requests a minute at most", "figure"],
    signatures_required: ["Signed beside payouts and imports", "list"]
  }
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly [string, FieldKind]>>>>

/** The word for what has no limit. */
export const none = "none"

/** The word for an allowlist that lets everybody in. */
const any = "any"

/** A setting as it is written in a form. */
export const settingText = (value: unknown, kind: FieldKind): string => {
  if (value === null) return kind === "maybeList" ? any : none
  if (Array.isArray(value)) return value.join(", ")
  if (typeof value !== "object") return String(value)
  return Object.entries(value)
    .map(([name, one]) => `${name}=${one}`)
    .join(", ")
}

const wholeNumbers: ReadonlySet<string> = new Set([
  "withdrawal_window_hours",
  "destination_cooling_hours",
  "slippage_bps",
  "tenant_ceiling_per_minute"
])

const settingOf = (name: string, text: string, kind: FieldKind): unknown => {
  switch (kind) {
    case "flag":
      return text === "true"
    case "list":
      return listIn(text)
    case "maybeList":
      return text === any ? null : listIn(text)
    case "map":
      return Object.fromEntries(listIn(text).map((pair) => pair.split("=").map((part) => part.trim())))
    case "figure":
    case "number":
      if (text === none) return null
      // what is empty is no number: somebody who empties a limit has neither taken it away nor made it 0
      return wholeNumbers.has(name) && text.trim() !== "" ? Number(text) : text
  }
}

const decode = Schema.decodeUnknownOption(ChangeTenantSettings)

/** What of a group of settings was changed in its form, and what that was; none where something in it cannot be. */
export const settingsChanged = (
  group: keyof typeof settingGroups,
  settings: OperatorTenant["settings"],
  answers: Readonly<Record<string, string>>
): Option.Option<ChangeTenantSettings> => {
  const before: Readonly<Record<string, unknown>> = settings
  const changed = Object.entries(settingGroups[group]).flatMap(([name, [, kind]]) => {
    const text = answers[name] ?? ""
    return text === settingText(before[name], kind) ? [] : [[name, settingOf(name, text, kind)] as const]
  })
  if (changed.length === 0) return decode({})
  const insteadOf = Object.fromEntries(changed.map(([name]) => [name, before[name]]))
  return decode({ ...Object.fromEntries(changed), instead_of: insteadOf })
}
