import { Result } from "effect"
import { setTenantStatus } from "../access/tenantCommands.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { directionOf, saferPolicy } from "../grant/direction.ts"
import { policyValues } from "../grant/PolicyValues.ts"
import type { Tenant, TenantPolicy } from "../tenant/Tenant.ts"

/** A command of an operator without a grant: where it lowers something, the row says when, so that nothing undoes it that was approved before. */
const dated = (command: Command<Tenant>, lowers: (before: Tenant, after: Tenant) => boolean): Command<Tenant> => ({
  ...command,
  decide: (view) =>
    Result.map(command.decide(view), (decided) => {
      if (!lowers(view.tenant, decided.reply)) return decided
      const tenant: Tenant = { ...decided.reply, loweredAt: view.now }
      const others = decided.changes.filter(({ _tag }) => _tag !== "TenantPut")
      const changes: ReadonlyArray<Change> = [{ _tag: "TenantPut", tenant }, ...others]
      return { changes, reply: tenant }
    })
})

/** Suspends a tenant without a grant. One that is suspended is suspended again: who has approved to end it did not know of that. */
export const suspendByOperator: Command<Tenant> = dated(setTenantStatus("SUSPENDED"), () => true)

/** Whether a change lowers something, or says a setting again as it stands: whoever says it may have found that it is needed again. */
const lowersBy =
  (said: Partial<TenantPolicy>) =>
  (before: Tenant, after: Tenant): boolean => {
    const from = policyValues(before)
    const keepsWhatIsSaid = (name: keyof TenantPolicy): boolean => {
      const policy = { ...before.policy, [name]: after.policy[name] }
      return directionOf("policy", from, policyValues({ kind: before.kind, policy })) === "changes_nothing"
    }
    const names = Object.keys(said) as ReadonlyArray<keyof TenantPolicy> // the keys of that very object
    return (
      directionOf("policy", from, saferPolicy(from, policyValues(after))) === "lowers" || names.some(keepsWhatIsSaid)
    )
  }

/** What an operator says of the settings of a tenant without a grant, by a command that changes them. */
export const settingsByOperator = (command: Command<Tenant>, said: Partial<TenantPolicy>): Command<Tenant> =>
  dated(command, (before, after) =>
    // what cannot be compared may have been lowered
    Result.getOrElse(
      Result.try(() => lowersBy(said)(before, after)),
      () => true
    )
  )
