import { OperatorApi } from "@bursar/api/OperatorApi"
import { checkAll, type CheckResult } from "@bursar/core/checker/checkAll"
import { auditSeals, verifySeals } from "@bursar/core/checker/verifySeals"
import { toIso } from "@bursar/core/base/Timestamp"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { AuditSeals } from "@bursar/core/port/AuditSeals"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { Tenants } from "@bursar/core/port/Tenants"
import { Clock, Context, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable } from "../../../refusals.ts"
import { findTenant } from "../found.ts"

/** GET /operator/v1/check: the checker over the books of every tenant, one tenant after the other, or of one, and over what they share, with the seals of the log. */
export const check = Effect.gen(function* () {
  const ledger = yield* LedgerSnapshot
  const log = Context.pick(OperatorAudit, AuditSeals)(yield* Effect.context<AuditSeals | OperatorAudit>())
  const tenants = yield* Tenants
  const { currencies } = yield* ServerConfig
  return HttpApiBuilder.handler(OperatorApi, "health", "check", ({ query: { tenant_id: only } }) =>
    Effect.gen(function* () {
      const started = yield* Clock.currentTimeMillis
      const { tenants: all, unreadable } =
        only === undefined
          ? yield* orUnavailable(tenants.list)
          : { tenants: [yield* findTenant(tenants, only)], unreadable: [] }
      const ofBooks = yield* orUnavailable(checkAll(all, { currencies, unreadable })).pipe(
        Effect.provideService(LedgerSnapshot, ledger),
        Effect.provide(log)
      )
      const [wrong = null] = yield* orUnavailable(Effect.provide(verifySeals({}), log))
      const ofSeals: CheckResult = {
        tenant: null,
        invariant: auditSeals.name,
        rule: auditSeals.rule,
        firstWrong: wrong
      }
      const results = [...ofBooks, ofSeals]
      return {
        ok: results.every(({ firstWrong }) => firstWrong === null),
        started_at: toIso(started),
        finished_at: toIso(yield* Clock.currentTimeMillis),
        invariants: results.map(({ firstWrong, invariant, rule, tenant }) => ({
          tenant_id: tenant?.id ?? null,
          invariant,
          rule,
          first_wrong: firstWrong
        }))
      }
    })
  )
})
