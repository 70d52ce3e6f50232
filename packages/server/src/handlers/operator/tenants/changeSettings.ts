import type { ApiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import type { ChangeTenantSettings } from "@bursar/api/operator/OperatorTenant"
import { Refusal } from "@bursar/core/base/Refusal"
import type { Command } from "@bursar/core/engine/Command"
import { Writer } from "@bursar/core/engine/Writer"
import { parseDecimal } from "@bursar/core/money/Rate"
import { addressOrigins, type Tenant, TenantId, type TenantPolicy } from "@bursar/core/tenant/Tenant"
import { settingsByOperator } from "@bursar/core/granting/byOperator"
import { Effect, Equal, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { parseRange } from "../../../http/clientAddress.ts"
import { submit } from "../../../refusals.ts"
import { originOf, sourceName } from "../../../wire/sourceName.ts"
import { invalidField } from "../found.ts"
import { aloneHere } from "../grants/alone.ts"
import { toWire } from "./toWire.ts"

const policyOf = (
  settings: ChangeTenantSettings,
  { currencies, serviceName }: Pick<ServerConfig["Service"], "currencies" | "serviceName">
): Result.Result<Partial<TenantPolicy>, ApiError> => {
  const { credit_historical, credit_sources, ip_allowlist, tenant_ceiling_per_minute } = settings
  const { address_proof_required, hold_on_arrival, hold_on_import, hold_on_issuance, signatures_required } = settings
  const { adjustment_review_usd, destination_cooling_hours, slippage_bps } = settings
  const { withdrawal_limit_usd, withdrawal_review_usd, withdrawal_window_hours, withdrawals_enabled } = settings
  const { payout_daily_limit_usd, payout_limit_usd, payout_new_address_limit_usd, payout_review_usd } = settings
  const { payout_minimums, payouts_enabled, payouts_off_on } = settings
  const figures = {
    withdrawal_limit_usd,
    withdrawal_review_usd,
    payout_daily_limit_usd,
    payout_limit_usd,
    payout_new_address_limit_usd,
    payout_review_usd,
    adjustment_review_usd
  }
  const wrongFigure = Object.entries(figures).find(([, text]) => text != null && parseDecimal(text) === undefined)
  if (wrongFigure !== undefined)
    return Result.fail(invalidField(wrongFigure[0], "Expected a decimal that is not below zero."))
  const wrongMinimum = Object.entries(payout_minimums ?? {}).find(
    ([code, text]) => currencies.byCode(code) === undefined || parseDecimal(text) === undefined
  )
  if (wrongMinimum !== undefined)
    return Result.fail(
      invalidField(
        `payout_minimums.${wrongMinimum[0]}`,
        "Expected a known currency and a decimal that is not below zero."
      )
    )
  const wrongNetwork = payouts_off_on?.findIndex((name) => !currencies.networks.has(name)) ?? -1
  if (wrongNetwork >= 0) {
    const known = currencies.networks.all.map(({ name }) => name).join(", ")
    return Result.fail(invalidField(`payouts_off_on.${wrongNetwork}`, `Expected one of ${known}.`))
  }
  const wrongRange = ip_allowlist?.findIndex((text) => parseRange(text) === undefined) ?? -1
  if (wrongRange >= 0) {
    return Result.fail(invalidField(`ip_allowlist.${wrongRange}`, "Expected an IP address or a CIDR range."))
  }
  const origins = credit_sources?.map((source) => originOf(source, serviceName))
  const wrongSource = origins?.indexOf(undefined) ?? -1
  if (wrongSource >= 0) {
    const known = addressOrigins.map((origin) => sourceName(origin, serviceName)).join(", ")
    return Result.fail(invalidField(`credit_sources.${wrongSource}`, `Expected one of ${known}.`))
  }
  return Result.succeed({
    ...(ip_allowlist === undefined ? {} : { ipAllowlist: ip_allowlist }),
    ...(tenant_ceiling_per_minute === undefined ? {} : { ceilingPerMinute: tenant_ceiling_per_minute }),
    ...(credit_historical === undefined ? {} : { creditHistorical: credit_historical }),
    ...(address_proof_required === undefined ? {} : { addressProofRequired: address_proof_required }),
    ...(signatures_required === undefined ? {} : { signaturesRequired: signatures_required }),
    ...(hold_on_issuance === undefined ? {} : { holdOnIssuance: hold_on_issuance }),
    ...(hold_on_import === undefined ? {} : { holdOnImport: hold_on_import }),
    ...(hold_on_arrival === undefined ? {} : { holdOnArrival: hold_on_arrival }),
    ...(withdrawals_enabled === undefined ? {} : { withdrawalsEnabled: withdrawals_enabled }),
    ...(withdrawal_limit_usd === undefined ? {} : { withdrawalLimitUsd: withdrawal_limit_usd }),
    ...(withdrawal_window_hours === undefined ? {} : { withdrawalWindowHours: withdrawal_window_hours }),
    ...(destination_cooling_hours === undefined ? {} : { destinationCoolingHours: destination_cooling_hours }),
    ...(payouts_enabled === undefined ? {} : { payoutsEnabled: payouts_enabled }),
    ...(payouts_off_on === undefined ? {} : { payoutsOffOn: payouts_off_on }),
    ...(payout_limit_usd === undefined ? {} : { payoutLimitUsd: payout_limit_usd }),
    ...(payout_daily_limit_usd === undefined ? {} : { payoutDailyLimitUsd: payout_daily_limit_usd }),
    ...(payout_new_address_limit_usd === undefined ? {} : { payoutNewAddressLimitUsd: payout_new_address_limit_usd }),
    ...(payout_minimums === undefined ? {} : { payoutMinimums: payout_minimums }),
    ...(withdrawal_review_usd === undefined ? {} : { withdrawalReviewUsd: withdrawal_review_usd }),
    ...(payout_review_usd === undefined ? {} : { payoutReviewUsd: payout_review_usd }),
    ...(adjustment_review_usd === undefined ? {} : { adjustmentReviewUsd: adjustment_review_usd }),
    ...(slippage_bps === undefined ? {} : { slippageBps: slippage_bps }),
    ...(origins === undefined ? {} : { creditOrigins: addressOrigins.filter((origin) => origins.includes(origin)) })
  })
}

/** What a setting says, however it is written: a list says the same in any order, and 10.0 is 10. */
const meaningOf = (value: unknown): unknown => {
  if (typeof value === "string") return parseDecimal(value) ?? value
  if (Array.isArray(value)) return new Set<unknown>(value)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, meaningOf(one)]))
}

const saysTheSame = (one: unknown, other: unknown): boolean => Equal.equals(meaningOf(one), meaningOf(other))

/** Changes settings only where they still are what the change was made on, or what it makes of them: it may be sent twice. */
const instead = (
  command: Command<Tenant>,
  {
    payload: { instead_of: before = {}, ...after },
    policy,
    serviceName
  }: {
    readonly payload: ChangeTenantSettings
    readonly policy: Partial<TenantPolicy>
    readonly serviceName: string
  }
): Command<Tenant> => ({
  ...command,
  decide: (view) => {
    const settingsBy = (by: Partial<TenantPolicy>) =>
      Object.entries(toWire({ ...view.tenant, policy: { ...view.tenant.policy, ...by } }, serviceName).settings)
    const now = new Map<string, unknown>(settingsBy({}))
    // as it would be stored: by other names, it may be the operator's own change that is there
    const wanted = new Map<string, unknown>(settingsBy(policy).filter(([name]) => name in after))
    const changed = Object.entries(before).find(
      ([name, value]) => !saysTheSame(now.get(name), value) && !saysTheSame(now.get(name), wanted.get(name))
    )
    if (changed === undefined) return command.decide(view)
    const [name] = changed
    return Result.fail(
      new Refusal({
        code: "state_conflict",
        message: `Another operator has changed ${name} meanwhile: it is ${JSON.stringify(now.get(name))} now. Nothing was changed.`
      })
    )
  }
})

/** POST /operator/v1/tenants/{tenant_id}/settings: what is left out stays as it is. */
export const changeSettings = Effect.gen(function* () {
  const writer = yield* Writer
  const config = yield* ServerConfig
  const alone = yield* aloneHere
  return HttpApiBuilder.handler(OperatorApi, "tenants", "changeSettings", ({ params, payload }) =>
    Effect.gen(function* () {
      const policy = yield* Effect.fromResult(policyOf(payload, config))
      const tenantId = TenantId(params.tenant_id)
      const change = yield* alone.changePolicy(tenantId, policy)
      const tenant = yield* submit(
        writer,
        tenantId,
        settingsByOperator(instead(change, { payload, policy, serviceName: config.serviceName }), policy)
      )
      yield* alone.lowered(tenantId, { _tag: "PolicyLowered", tenant })
      return toWire(tenant, config.serviceName)
    })
  )
})
