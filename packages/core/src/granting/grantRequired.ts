import { Result } from "effect"
import { setTenantPolicy, setTenantStatus } from "../access/tenantCommands.ts"
import { Refusal } from "../base/Refusal.ts"
import type { Command } from "../engine/Command.ts"
import { directionOf } from "../grant/direction.ts"
import type { KindAndValues } from "../grant/GrantDocument.ts"
import { policyValues } from "../grant/PolicyValues.ts"
import type { Tenant, TenantId, TenantPolicy } from "../tenant/Tenant.ts"

/**
 * The refusal of what nobody may do without a grant, where the service goes by grants: it has the values to propose, and on which chain
 * (null: the fleet's).
 */
export const grantRequired = ({ kind, values }: KindAndValues, chain: TenantId | null): Refusal => {
  const name = chain ?? "fleet"
  return new Refusal({
    code: "grant_required",
    message: `This takes a grant: propose one of the kind ${kind} on the chain ${name}, with the values in the detail.`,
    detail: { kind, chain: name, values }
  })
}

/**
 * Changes parts of a tenant's policy as `setTenantPolicy` does, as long as that raises no risk (`grant_required`). A tenant that was never
 * activated has nothing to lose: its policy is granted afterwards, and nothing leaves before.
 */
export const lowerTenantPolicy = (patch: Partial<TenantPolicy>): Command<Tenant> => {
  const command = setTenantPolicy(patch)
  return {
    ...command,
    decide: (view) =>
      Result.flatMap(command.decide(view), (decided) => {
        if (view.tenant.status === "ONBOARDING") return Result.succeed(decided)
        const [from, to] = [policyValues(view.tenant), policyValues(decided.reply)]
        return directionOf("policy", from, to) === "raises"
          ? Result.fail(grantRequired({ kind: "policy", values: to }, view.tenant.id))
          : Result.succeed(decided)
      })
  }
}

/** Activates a tenant for the first time. To end a suspension takes a grant (`grant_required`). */
export const activateNewTenant: Command<Tenant> = {
  ...setTenantStatus("ACTIVE"),
  decide: (view) =>
    view.tenant.status === "SUSPENDED"
      ? Result.fail(grantRequired({ kind: "suspension", values: { suspended: false, reason: "" } }, view.tenant.id))
      : setTenantStatus("ACTIVE").decide(view)
}
