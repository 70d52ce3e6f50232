import type { OperatorTenant } from "@bursar/api/operator/OperatorTenant"
import { assert, it } from "@effect/vitest"
import { Option } from "effect"
import { settingGroups, settingsChanged, settingText } from "../src/screens/tenant/settingFields.ts"

const settings: OperatorTenant["settings"] = {
  ip_allowlist: ["203.0.113.0/24"],
  tenant_ceiling_per_minute: 1_200,
  credit_sources: ["issued"],
  credit_historical: false,
  address_proof_required: false,
  signatures_required: [],
  hold_on_issuance: false,
  hold_on_import: false,
  hold_on_arrival: false,
  withdrawals_enabled: true,
  withdrawal_limit_usd: "5000",
  withdrawal_window_hours: 24,
  withdrawal_review_usd: "100",
  destination_cooling_hours: 24,
  slippage_bps: 50,
  payouts_enabled: true,
  payouts_off_on: ["ethereum"],
  payout_limit_usd: "1000",
  payout_daily_limit_usd: "5000",
  payout_new_address_limit_usd: "500",
  payout_review_usd: "200",
  payout_minimums: { USDT_ETH: "5" },
  adjustment_review_usd: "100"
}

const groups = ["Payouts", "Withdrawals", "Intake", "Access"] as const

/** What of a group is changed where one field of its form is written anew. */
const changed = (group: keyof typeof settingGroups, name: string, text: string) => {
  const before: Readonly<Record<string, unknown>> = settings
  const form = Object.entries(settingGroups[group]).map(([one, [, kind]]) => [one, settingText(before[one], kind)])
  return settingsChanged(group, settings, { ...Object.fromEntries(form), [name]: text })
}

/** The fields that hold a number. */
const figures = groups.flatMap((group) =>
  Object.entries(settingGroups[group]).flatMap(([name, [, kind]]) =>
    kind === "figure" || kind === "number" ? [[group, name, kind] as const] : []
  )
)

it("an emptied number of a tenant's settings is refused: it neither takes a limit away nor becomes 0", () => {
  assert.isAbove(figures.length, 10)
  for (const [group, name] of figures)
    for (const text of ["", "  "]) assert.isTrue(Option.isNone(changed(group, name, text)), name)
})

it("the word “none” takes away a limit that can be taken away, and nothing else", () => {
  for (const [group, name, kind] of figures) {
    const found = changed(group, name, "none")
    if (kind === "number") assert.isTrue(Option.isNone(found), name)
    else assert.deepInclude(Option.getOrThrow(found), { [name]: null })
  }
})

it("an emptied list is an empty list", () => {
  const off = Option.getOrThrow(changed("Payouts", "payouts_off_on", ""))
  assert.deepStrictEqual(off, { payouts_off_on: [], instead_of: { payouts_off_on: ["ethereum"] } })
})
