import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import { directionOf, saferPolicy } from "../grant/direction.ts"
import { policyValues } from "../grant/PolicyValues.ts"
import type { Tenant } from "../tenant/Tenant.ts"

const lowersSomething = (before: Tenant, after: Tenant): boolean => {
  if (after.status === "SUSPENDED" && before.status !== "SUSPENDED") return true
  const lowered = Result.try(() => {
    const [from, to] = [policyValues(before), policyValues(after)]
    return directionOf("policy", from, saferPolicy(from, to)) === "lowers"
  })
  // what cannot be compared may have been lowered
  return Result.getOrElse(lowered, () => true)
}

/** What an operator changes of a tenant without a grant: where that lowers something, the row says when, so that nothing undoes it that was approved before. */
export const byOperator = (command: Command<Tenant>): Command<Tenant> => ({
  ...command,
  decide: (view) =>
    Result.map(command.decide(view), (decided) => {
      if (!lowersSomething(view.tenant, decided.reply)) return decided
      const tenant: Tenant = { ...decided.reply, loweredAt: view.now }
      const changes = decided.changes.map((change) => (change._tag === "TenantPut" ? { ...change, tenant } : change))
      return { ...decided, changes, reply: tenant }
    })
})
