import { apiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { Writer } from "@bursar/core/engine/Writer"
import { parseDecimal } from "@bursar/core/money/Rate"
import { Queries } from "@bursar/core/store/Queries"
import { Tenants } from "@bursar/core/port/Tenants"
import { addFeeRule, retireFeeRule as retireCommand } from "@bursar/core/pricing/feeRuleCommands"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable, submit } from "../../../refusals.ts"
import { momentOf } from "../../../wire/moment.ts"
import { findTenant, invalidField } from "../found.ts"
import { railProblem } from "./feeRuleRail.ts"
import { feeRuleToWire } from "./toWire.ts"
import { FeeRule } from "@bursar/core/pricing/FeeRule"

/** A percentage above this is a mistake of the hand. */
const percentMax = 100n

/** POST /operator/v1/tenants/{tenant_id}/fee-rules. */
export const createFeeRule = Effect.gen(function* () {
  const writer = yield* Writer
  const { currencies } = yield* ServerConfig
  return HttpApiBuilder.handler(
    OperatorApi,
    "custody",
    "createFeeRule",
    Effect.fnUntraced(function* ({ params, payload }) {
      const { currency = null, effective_from, minimum_fee, percent, priority, product = null, rail = null } = payload
      if (currency !== null && currencies.byCode(currency) === undefined) return yield* apiError("unsupported_asset")
      const problem = railProblem({ product, currency, rail }, currencies)
      if (problem !== undefined) return yield* invalidField("rail", problem)
      const [share, least] = [parseDecimal(percent), parseDecimal(minimum_fee)]
      if (share === undefined) return yield* invalidField("percent", "Expected a decimal that is not below zero.")
      if (share.units > percentMax * 10n ** BigInt(share.decimals))
        return yield* invalidField("percent", `Expected at most ${percentMax}.`)
      if (least === undefined) return yield* invalidField("minimum_fee", "Expected a decimal that is not below zero.")
      const command = addFeeRule({
        product,
        currency,
        rail,
        percent: share,
        minimumFee: least,
        priority,
        effectiveFrom: effective_from === undefined ? null : momentOf(effective_from)
      })
      return feeRuleToWire(yield* submit(writer, TenantId(params.tenant_id), command))
    })
  )
})

/** GET /operator/v1/tenants/{tenant_id}/fee-rules: those that were taken back among them. */
export const feeRules = Effect.gen(function* () {
  const queries = yield* Queries
  const tenants = yield* Tenants
  return HttpApiBuilder.handler(
    OperatorApi,
    "custody",
    "feeRules",
    Effect.fnUntraced(function* ({ params }) {
      const { id } = yield* findTenant(tenants, params.tenant_id)
      return { fee_rules: (yield* orUnavailable(queries.records(id, FeeRule))).map(feeRuleToWire) }
    })
  )
})

/** POST /operator/v1/tenants/{tenant_id}/fee-rules/{fee_rule_id}/retire. */
export const retireFeeRule = Effect.map(Writer, (writer) =>
  HttpApiBuilder.handler(
    OperatorApi,
    "custody",
    "retireFeeRule",
    Effect.fnUntraced(function* ({ params }) {
      const command = retireCommand(params.fee_rule_id)
      return feeRuleToWire(yield* submit(writer, TenantId(params.tenant_id), command))
    })
  )
)
