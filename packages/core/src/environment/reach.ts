import { Result } from "effect"
import type { Environment } from "../base/Environment.ts"
import { Refusal } from "../base/Refusal.ts"
import type { Command } from "../engine/Command.ts"
import type { Tenant } from "../tenant/Tenant.ts"

/** A network or a provider that a tenant would reach. */
export interface Reached {
  readonly name: string
  readonly environment: Environment
}

/**
 * Why a tenant may not reach a network or a provider; undefined where it may. Each tenant stays in its own environment: real money is
 * out of reach for the keys of a SANDBOX tenant, and a LIVE tenant is never credited, or promised, what is worth nothing.
 */
export const outOfReach = ({ kind }: Pick<Tenant, "kind">, ...reached: ReadonlyArray<Reached>): string | undefined => {
  const foreign = reached.find(({ environment }) => environment !== kind)
  return foreign && `${foreign.name} is for ${foreign.environment} tenants, and the tenant is ${kind}.`
}

/** The refusal of what a tenant may not reach; undefined where it may. */
export const refuseReach = (tenant: Pick<Tenant, "kind">, ...reached: ReadonlyArray<Reached>): Refusal | undefined => {
  const message = outOfReach(tenant, ...reached)
  return message === undefined ? undefined : new Refusal({ code: "product_not_enabled", message })
}

/** A command that reaches networks and providers: refused (`product_not_enabled`) where the tenant may not reach one of them. */
export const reaching = <A>(reached: ReadonlyArray<Reached>, command: Command<A>): Command<A> => ({
  ...command,
  decide: (view) => {
    const refusal = refuseReach(view.tenant, ...reached)
    return refusal === undefined ? command.decide(view) : Result.fail(refusal)
  }
})

/** Asks whether the tenant may reach networks and providers now. Replies why not, else null. */
export const askReach = (...reached: ReadonlyArray<Reached>): Command<string | null> => ({
  name: "AskReach",
  reads: [],
  decide: ({ tenant }) => Result.succeed({ changes: [], reply: outOfReach(tenant, ...reached) ?? null })
})
