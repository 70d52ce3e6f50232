import { Result } from "effect"
import { setTenantPolicy, setTenantStatus } from "../access/tenantCommands.ts"
import { Refusal } from "../base/Refusal.ts"
import type { Command } from "../engine/Command.ts"
import { directionOf } from "../grant/direction.ts"
import type { GrantKind } from "../grant/GrantDocument.ts"
import { policyValues } from "../grant/PolicyValues.ts"
import type { Tenant, TenantId, TenantPolicy } from "../tenant/Tenant.ts"

/** The refusal of what nobody may do without a grant, where the service goes by grants: it says what to propose on which chain (null: the fleet's). */
export const grantRequired = (kind: GrantKind, chain: TenantId | null): Refusal => {
  const name = chain ?? "fleet"
  return new Refusal({
    code: "grant_required",
    message: `This takes a grant: propose one of the kind ${kind} on the chain ${name}.`,
    detail: { kind, chain: name }
  })
}

/** Changes parts of a tenant's policy as `setTenantPolicy` does, as long as that raises no risk (`grant_required`). */
export const lowerTenantPolicy = (patch: Partial<TenantPolicy>): Command<Tenant> => {
  const command = setTenantPolicy(patch)
  return {
    ...command,
    decide: (view) =>
      Result.flatMap(command.decide(view), (decided) => {
        const [from, to] = [view.tenant.policy, decided.reply.policy].map(policyValues)
        return from !== undefined && to !== undefined && directionOf("policy", from, to) === "raises"
          ? Result.fail(grantRequired("policy", view.tenant.id))
          : Result.succeed(decided)
      })
  }
}

/** Activates a tenant for the first time. To end a suspension takes a grant (`grant_required`). */
export const activateNewTenant: Command<Tenant> = {
  ...setTenantStatus("ACTIVE"),
  decide: (view) =>
    view.tenant.status === "SUSPENDED"
      ? Result.fail(grantRequired("suspension", view.tenant.id))
      : setTenantStatus("ACTIVE").decide(view)
}
