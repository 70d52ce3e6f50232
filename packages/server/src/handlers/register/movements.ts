import { apiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import type { MovementLeg } from "@bursar/api/wire/Movement"
import { toIso } from "@bursar/core/base/Timestamp"
import type { PostedLeg } from "@bursar/core/ledger/Leg"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { concernsTenant } from "@bursar/core/operation/concernsTenant"
import { Queries } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { orUnavailable } from "../../refusals.ts"
import { money } from "../../wire/money.ts"
import { shownCurrencies } from "../../wire/shownCurrencies.ts"

/** A leg as it is told, with its amount written in a way. */
export const legToWire = (
  { account, currency, direction, postedAt, units, what }: PostedLeg,
  currencies: CurrencyTable,
  write = money
): MovementLeg => ({
  account,
  direction,
  amount: write(currencies, units, currency),
  what,
  posted_at: toIso(postedAt)
})

/** GET /v1/register/{operation_id}/movements: the ledger legs of one operation, oldest first. */
export const movements = Effect.gen(function* () {
  const queries = yield* Queries
  const { shownIn } = yield* shownCurrencies
  return HttpApiBuilder.handler(PartnerApi, "register", "movements", ({ params }) =>
    Effect.gen(function* () {
      const tenantId = TenantId((yield* Caller).tenantId)
      const operation = yield* orUnavailable(queries.operation(tenantId, params.operation_id))
      if (operation === undefined) return yield* apiError("not_found")
      const legs = yield* orUnavailable(queries.legs(tenantId, operation.id))
      if (
        !concernsTenant(
          operation,
          legs.map(({ account }) => account)
        )
      )
        return yield* apiError("not_found")
      const shown = yield* orUnavailable(shownIn(legs.map(({ currency }) => currency)))
      return {
        operation_id: operation.id,
        kind: operation.kind,
        status: operation.status,
        legs: legs.map((leg) => legToWire(leg, shown))
      }
    })
  )
})
