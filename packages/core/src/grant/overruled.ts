import { type Timestamp, toIso } from "../base/Timestamp.ts"
import type { NetworkSwitch } from "../port/NetworkSwitches.ts"
import type { Tenant } from "../tenant/Tenant.ts"
import { directionOf, saferPolicy } from "./direction.ts"
import type { GrantDocument } from "./GrantDocument.ts"
import { type JudgedGrant, policyOver } from "./policyOver.ts"
import { type PolicyValues, sayableValues } from "./PolicyValues.ts"

/** The rows that operators may have lowered without a grant: a tenant's for its chain, the switches for the fleet's. */
export interface LowerableRows {
  readonly tenant?: Tenant
  readonly switches: ReadonlyArray<NetworkSwitch>
}

/** A document as it is judged at the end of its chain, and when it was made. */
export interface MadeGrant {
  readonly document: GrantDocument
  readonly judged: JudgedGrant
  readonly madeAt: Timestamp
}

/** The values of a policy that stand lower in the row than was agreed, and that a grant would put back: of lists part by part. */
const putBack = (tenant: Tenant, to: PolicyValues, judged: JudgedGrant): ReadonlyArray<keyof PolicyValues> => {
  // what a policy replaces is one; the first policy is all that was ever agreed
  const agreed = (judged.before as PolicyValues | undefined) ?? to
  const row = sayableValues(tenant, agreed)
  const [now, then] = [saferPolicy(agreed, row), saferPolicy(agreed, policyOver(row, to, judged))]
  const names = Object.keys(now) as ReadonlyArray<keyof PolicyValues> // the keys of that very object
  return names.filter((name) => directionOf("policy", now, { ...now, [name]: then[name] }) === "raises")
}

const isSince = (loweredAt: Timestamp | undefined, madeAt: Timestamp): boolean =>
  loweredAt !== undefined && loweredAt >= madeAt

const again = "Propose it again if it is to hold all the same."

/**
 * Why a document may not become a grant: it would put back what stands lowered in the row now, and it was not made after an operator has last lowered
 * something there, so that those who have approved it did not see that. Undefined where it may. Of a grant that stands this is never asked.
 */
export const overruledProblem = (
  { document, judged, madeAt }: MadeGrant,
  { switches, tenant }: LowerableRows
): string | undefined => {
  if (document.kind === "network") {
    const { network, stopped } = document.values
    const found = switches.find((one) => one.network === network)
    return !stopped && found?.payoutsOff === true && isSince(found.changedAt, madeAt)
      ? `${found.changedBy} has stopped ${network} since this was proposed, at ${toIso(found.changedAt)}: ${found.reason ?? "no reason is told"}. ${again}`
      : undefined
  }
  if (tenant === undefined || !isSince(tenant.loweredAt, madeAt)) return undefined
  if (document.kind === "suspension")
    return !document.values.suspended && tenant.status === "SUSPENDED"
      ? `An operator has suspended the tenant, or lowered a setting of it, since this was proposed. ${again}`
      : undefined
  if (document.kind !== "policy") return undefined
  const names = putBack(tenant, document.values, judged)
  return names.length === 0
    ? undefined
    : `An operator has lowered something of the tenant, or said it again, since this was proposed, and it would put back ${names.join(", ")}. ${again}`
}
