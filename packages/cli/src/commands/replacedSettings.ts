import type { ChangeTenantSettings, OperatorTenant } from "@bursar/api/operator/OperatorTenant"
import { Struct } from "effect"

type Settings = OperatorTenant["settings"]

/** The settings that a change replaces whole, whatever another operator has put there. */
const whole = ["ip_allowlist", "credit_sources", "signatures_required", "payouts_off_on", "payout_minimums"] as const

const replacedBy = (change: ChangeTenantSettings) => whole.filter((name) => change[name] !== undefined)

/** A change that replaces lists and maps only as long as they are what was read. */
export const insteadOf = (read: Settings, change: ChangeTenantSettings): ChangeTenantSettings => ({
  ...change,
  instead_of: Struct.pick(read, replacedBy(change))
})

const entriesOf = (setting: Settings[(typeof whole)[number]]): ReadonlyArray<string> => {
  if (setting === null) return ["any"]
  if (Array.isArray(setting)) return setting.map(String)
  return Object.entries(setting).map(([name, value]) => `${name}=${value}`)
}

/** What a change has taken out of lists and maps, a line for each: it may be what another operator had put there. */
export const takenOut = (read: Settings, now: Settings, change: ChangeTenantSettings): ReadonlyArray<string> =>
  replacedBy(change).flatMap((name) => {
    const left = entriesOf(now[name])
    const gone = entriesOf(read[name]).filter((entry) => !left.includes(entry))
    return gone.length === 0 ? [] : [`No longer in ${name}: ${gone.join(", ")}`]
  })
