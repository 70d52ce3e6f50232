import type { Environment } from "../base/Environment.ts"
import type { Command } from "../engine/Command.ts"
import type { Tenant } from "../tenant/Tenant.ts"
import { granted, type TenantState } from "./GrantState.ts"
import type { Ruling } from "./Ruling.ts"

/** The environment that was granted to a tenant, for good; undefined where none was. */
export const grantedEnvironment = (tenant: TenantState): Environment | undefined =>
  granted(tenant, "policy", "policy")?.values.environment

const environmentBy = (ruling: Ruling): Environment | undefined =>
  ruling === undefined || "_tag" in ruling ? undefined : grantedEnvironment(ruling.tenant)

/** Why a tenant's row may not be gone by: it is of another environment than was granted. */
export const environmentObjection = (ruling: Ruling, { kind }: Pick<Tenant, "kind">): string | undefined => {
  const environment = environmentBy(ruling)
  return environment === undefined || environment === kind
    ? undefined
    : `the tenant is ${kind} in its row, and ${environment} by its grants`
}

/** A command that sees the tenant in the environment that was granted to it, whatever its row says. It must not write the tenant. */
export const inGrantedEnvironment = <A>(ruling: Ruling, command: Command<A>): Command<A> => {
  const kind = environmentBy(ruling)
  return kind === undefined
    ? command
    : { ...command, decide: (view) => command.decide({ ...view, tenant: { ...view.tenant, kind } }) }
}
