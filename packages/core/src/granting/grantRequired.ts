import { Result } from "effect"
import { setTenantPolicy, setTenantStatus } from "../access/tenantCommands.ts"
import { Refusal } from "../base/Refusal.ts"
import type { Command } from "../engine/Command.ts"
import { directionOf } from "../grant/direction.ts"
import type { KindAndValues } from "../grant/GrantDocument.ts"
import { policyOver } from "../grant/policyOver.ts"
import { type PolicyValues, policyOf, policyValues, sayableValues, unsayable } from "../grant/PolicyValues.ts"
import { defaultPolicy, type Tenant, type TenantId, type TenantPolicy } from "../tenant/Tenant.ts"

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

/** The grant that a change of a policy takes, or why none would do just that: what operators have lowered comes back as a whole. */
const policyRequired = (
  { id, kind }: Tenant,
  {
    agreed,
    asked,
    patch,
    row
  }: {
    readonly agreed: PolicyValues | "unreadable" | undefined
    readonly asked: PolicyValues
    readonly patch: Partial<TenantPolicy>
    readonly row: PolicyValues
  }
): Refusal => {
  if (agreed === undefined || agreed === "unreadable") return grantRequired({ kind: "policy", values: asked }, id)
  const values = policyValues({ kind, policy: { ...policyOf(agreed), ...patch } })
  const after = policyOver(row, values, { before: agreed, direction: directionOf("policy", agreed, values) })
  if (directionOf("policy", asked, after) === "changes_nothing") return grantRequired({ kind: "policy", values }, id)
  const names = Object.keys(row) as ReadonlyArray<keyof PolicyValues> // the keys of that very object
  const lowered = names.filter((name) => directionOf("policy", agreed, { ...agreed, [name]: row[name] }) === "lowers")
  return new Refusal({
    code: "state_conflict",
    message: `No grant does just that, for operators have lowered without one: ${lowered.join(", ")}. Have the open proposals approved that say so, which takes one person, and ask again; or propose the policy again that the chain has, which puts back all of it at once.`
  })
}

/** The refusal of what no grant can say: with it in the row, the chain could never say what the row does. */
const unsayableIn = (patch: Partial<TenantPolicy>): Refusal | undefined => {
  // what the row has of before keeps nobody from lowering something else
  const names = unsayable(policyValues({ kind: "LIVE", policy: { ...defaultPolicy, ...patch } }))
  return names.length === 0
    ? undefined
    : new Refusal({
        code: "invalid_request",
        message: `No grant can say this of ${names.join(", ")}: a list has at most 200 ranges or 100 networks, and a decimal at most 18 places.`
      })
}

/**
 * What a row says, and would say after a change. Where it cannot be compared, for somebody has written something of another form into it, what is agreed
 * stands in the place of that, so that the rest can be lowered all the same.
 */
const comparedBy = (
  { after, before, patch }: { readonly after: Tenant; readonly before: Tenant; readonly patch: Partial<TenantPolicy> },
  agreed: PolicyValues | "unreadable" | undefined
) => {
  const { kind } = before
  const usual = agreed === undefined || agreed === "unreadable" ? policyValues({ kind, policy: defaultPolicy }) : agreed
  const row = sayableValues(before, usual)
  const asked = policyValues({ kind, policy: { ...policyOf(row), ...patch } })
  // what is of another form may be the same in both, and is compared with nothing then
  const direction = Result.getOrElse(
    Result.try(() => directionOf("policy", policyValues(before), policyValues(after))),
    () => directionOf("policy", row, asked)
  )
  return { row, asked, direction }
}

/**
 * Changes parts of a tenant's policy as `setTenantPolicy` does, as long as a grant can say it (`invalid_request`) and it raises no risk
 * (`grant_required`, with what was `agreed` and the change; `state_conflict` where no grant would do just that). A tenant that was never activated
 * has nothing to lose before its policy is granted: until then that is an operator's. Where its chain is `unreadable`, it may have been.
 */
export const lowerTenantPolicy = (
  patch: Partial<TenantPolicy>,
  agreed: PolicyValues | "unreadable" | undefined
): Command<Tenant> => {
  const command = setTenantPolicy(patch)
  return {
    ...command,
    decide: (view) =>
      Result.flatMap(command.decide(view), (decided) => {
        const strange = unsayableIn(patch)
        if (strange !== undefined) return Result.fail(strange)
        if (view.tenant.status === "ONBOARDING" && agreed === undefined) return Result.succeed(decided)
        const { asked, direction, row } = comparedBy({ before: view.tenant, after: decided.reply, patch }, agreed)
        return direction === "raises"
          ? Result.fail(policyRequired(view.tenant, { agreed, asked, patch, row }))
          : Result.succeed(decided)
      })
  }
}

/** Activates a tenant for the first time. To end a suspension takes a grant for a reason (`grant_required`). */
export const activateNewTenant = (reason: string): Command<Tenant> => ({
  ...setTenantStatus("ACTIVE"),
  decide: (view) =>
    view.tenant.status === "SUSPENDED"
      ? Result.fail(grantRequired({ kind: "suspension", values: { suspended: false, reason } }, view.tenant.id))
      : setTenantStatus("ACTIVE").decide(view)
})
