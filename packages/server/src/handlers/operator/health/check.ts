import { OperatorApi } from "@bursar/api/OperatorApi"
import { checkAll } from "@bursar/core/checker/checkAll"
import { toIso } from "@bursar/core/base/Timestamp"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { AuditSeals } from "@bursar/core/port/AuditSeals"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { Tenants } from "@bursar/core/port/Tenants"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable } from "../../../refusals.ts"
import { findTenant } from "../found.ts"

/** GET /operator/v1/check: the checker over the books of every tenant, one tenant after the other, or of one, and over what they share. */
export const check = Effect.gen(function* () {
  const ledger = yield* LedgerSnapshot
  const audit = yield* OperatorAudit
  const seals = yield* AuditSeals
  const tenants = yield* Tenants
  const { currencies } = yield* ServerConfig
  return HttpApiBuilder.handler(OperatorApi, "health", "check", ({ query: { tenant_id: only } }) =>
    Effect.gen(function* () {
      const started = yield* Clock.currentTimeMillis
      const { tenants: all, unreadable } =
        only === undefined
          ? yield* orUnavailable(tenants.list)
          : { tenants: [yield* findTenant(tenants, only)], unreadable: [] }
      const results = yield* orUnavailable(checkAll(all, { currencies, unreadable })).pipe(
        Effect.provideService(LedgerSnapshot, ledger),
        Effect.provideService(OperatorAudit, audit),
        Effect.provideService(AuditSeals, seals)
      )
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
