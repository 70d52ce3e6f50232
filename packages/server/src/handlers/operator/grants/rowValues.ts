import type { GrantDocument } from "@bursar/core/grant/GrantDocument"
import type { LowerableRows } from "@bursar/core/grant/overruled"
import { readPolicyValues } from "@bursar/core/grant/PolicyValues"
import { Option } from "effect"

/** What rows say in the form of a document's values; undefined for kinds whose rows nobody lowers, and where they cannot be read. */
export const rowValues = (
  document: GrantDocument,
  { switches, tenant }: LowerableRows
): GrantDocument["values"] | undefined => {
  if (document.kind === "network") {
    const { network } = document.values
    const found = switches.find((one) => one.network === network)
    return { ...document.values, stopped: found?.payoutsOff ?? false, reason: found?.reason ?? document.values.reason }
  }
  if (tenant === undefined) return undefined
  if (document.kind === "suspension") return { ...document.values, suspended: tenant.status === "SUSPENDED" }
  return document.kind === "policy" ? Option.getOrUndefined(readPolicyValues(tenant)) : undefined
}
