import { OperatorApi } from "@bursar/api/OperatorApi"
import { checkTenant } from "@bursar/core/checker/checkTenant"
import { toIso } from "@bursar/core/engine/Timestamp"
import { Books } from "@bursar/core/port/Books"
import { Tenants } from "@bursar/core/port/Tenants"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { reading } from "../../../refusals.ts"

/** GET /operator/v1/check: the checker over the books of every tenant, one tenant after the other. */
export const check = Effect.gen(function* () {
  const books = yield* Books
  const tenants = yield* Tenants
  return HttpApiBuilder.handler(OperatorApi, "health", "check", () =>
    Effect.gen(function* () {
      const started = yield* Clock.currentTimeMillis
      const results = yield* Effect.forEach(yield* reading(tenants.list), ({ id }) =>
        Effect.map(reading(books.snapshot(id, checkTenant)), (passes) =>
          passes.map(({ firstWrong, pass, rule }) => ({ tenant_id: id, pass, rule, first_wrong: firstWrong }))
        )
      )
      const passes = results.flat()
      return {
        ok: passes.every(({ first_wrong }) => first_wrong === null),
        started_at: toIso(started),
        finished_at: toIso(yield* Clock.currentTimeMillis),
        passes
      }
    })
  )
})
