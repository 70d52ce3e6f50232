import { apiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { Operator } from "@bursar/api/operator/Operator"
import { digestParam } from "@bursar/core/checker/destinationLog"
import type { Command } from "@bursar/core/engine/Command"
import { Refusal } from "@bursar/core/base/Refusal"
import { Writer } from "@bursar/core/engine/Writer"
import { parseDecimal } from "@bursar/core/money/Rate"
import { readMemo } from "@bursar/core/payout/readMemo"
import { adapterOf, Networks, parseAddress } from "@bursar/core/port/Networks"
import { Queries } from "@bursar/core/store/Queries"
import { Tenants } from "@bursar/core/port/Tenants"
import { addFeeRule, retireFeeRule } from "@bursar/core/pricing/feeRuleCommands"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Destination, destinationState } from "@bursar/core/destination/Destination"
import { destinationDigest } from "@bursar/core/destination/destinationDigest"
import { proposeDestination, rejectDestination, verifyDestination } from "@bursar/core/destination/destinationCommands"
import { Clock, Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable, refusalError, submit } from "../../../refusals.ts"
import { noteAction } from "../../../middleware/actionNotes.ts"
import { momentOf } from "../../../wire/moment.ts"
import { findTenant, invalidField } from "../found.ts"
import { simulateFee } from "./simulateFee.ts"
import { destinationToWire, feeRuleToWire } from "./toWire.ts"
import { FeeRule } from "@bursar/core/pricing/FeeRule"

const options = { uninterruptible: true }

/** A percentage above this is a mistake of the hand. */
const percentMax = 100n

/** Where tenants withdraw to, and what they are charged. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "custody",
  Effect.fnUntraced(function* (handlers) {
    const writer = yield* Writer
    const queries = yield* Queries
    const tenants = yield* Tenants
    const networks = yield* Networks
    const { currencies } = yield* ServerConfig

    const decided = Effect.fnUntraced(function* (
      tenant: string,
      command: Command<Destination>,
      note: (destination: Destination) => Effect.Effect<void> = () => Effect.void
    ) {
      const tenantId = TenantId(tenant)
      const destination = yield* submit(writer, tenantId, command)
      yield* note(destination)
      const all = yield* orUnavailable(queries.records(tenantId, Destination))
      return destinationToWire(destination, destinationState(destination, all, yield* Clock.currentTimeMillis))
    })

    return handlers.handleAll({
      simulateFee: yield* simulateFee,
      proposeDestination: {
        options,
        handler: Effect.fnUntraced(function* ({ params, payload }) {
          const { name } = yield* Operator
          const { address, currency: code, label, memo = null } = payload
          const asset = currencies.byCode(code)?.asset
          if (asset === undefined || asset === null) return yield* apiError("unsupported_asset")
          const canonical = parseAddress(networks, asset.network, address)
          if (Result.isFailure(canonical))
            return yield* refusalError(new Refusal({ code: "address_invalid", message: canonical.failure }))
          const read = readMemo(adapterOf(networks, asset.network), canonical.success, memo)
          if (Result.isFailure(read)) return yield* refusalError(read.failure)
          const command = proposeDestination({
            currency: code,
            network: asset.network,
            address: canonical.success,
            memo,
            label,
            by: name
          })
          return yield* decided(params.tenant_id, command)
        })
      },
      destinations: Effect.fnUntraced(function* ({ params }) {
        const { id } = yield* findTenant(tenants, params.tenant_id)
        const all = yield* orUnavailable(queries.records(id, Destination))
        const now = yield* Clock.currentTimeMillis
        return { destinations: all.map((one) => destinationToWire(one, destinationState(one, all, now))) }
      }),
      verifyDestination: {
        options,
        handler: Effect.fnUntraced(function* ({ params }) {
          const { name } = yield* Operator
          const command = verifyDestination(params.destination_id, name)
          return yield* decided(params.tenant_id, command, (verified) =>
            Effect.flatMap(destinationDigest(verified), (digest) => noteAction({ [digestParam]: digest }))
          )
        })
      },
      rejectDestination: {
        options,
        handler: Effect.fnUntraced(function* ({ params, payload }) {
          const command = rejectDestination(params.destination_id, payload.reason)
          return yield* decided(params.tenant_id, command)
        })
      },
      createFeeRule: {
        options,
        handler: Effect.fnUntraced(function* ({ params, payload }) {
          const {
            currency = null,
            effective_from,
            minimum_fee,
            percent,
            priority,
            product = null,
            rail = null
          } = payload
          if (currency !== null && currencies.byCode(currency) === undefined)
            return yield* apiError("unsupported_asset")
          const [share, least] = [parseDecimal(percent), parseDecimal(minimum_fee)]
          if (share === undefined) return yield* invalidField("percent", "Expected a decimal that is not below zero.")
          if (share.units > percentMax * 10n ** BigInt(share.decimals))
            return yield* invalidField("percent", `Expected at most ${percentMax}.`)
          if (least === undefined)
            return yield* invalidField("minimum_fee", "Expected a decimal that is not below zero.")
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
      },
      feeRules: Effect.fnUntraced(function* ({ params }) {
        const { id } = yield* findTenant(tenants, params.tenant_id)
        return { fee_rules: (yield* orUnavailable(queries.records(id, FeeRule))).map(feeRuleToWire) }
      }),
      retireFeeRule: {
        options,
        handler: Effect.fnUntraced(function* ({ params }) {
          const command = retireFeeRule(params.fee_rule_id)
          return feeRuleToWire(yield* submit(writer, TenantId(params.tenant_id), command))
        })
      }
    })
  })
)
