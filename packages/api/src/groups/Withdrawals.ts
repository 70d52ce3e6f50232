import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { route } from "../annotations/route.ts"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { Destination } from "../wire/Destination.ts"
import { AmountText } from "../wire/Money.ts"
import { Proof, ProveIn } from "../wire/Proof.ts"
import { listLimits, queryLimit } from "../wire/QueryParameters.ts"
import { CodeText, CurrencyText } from "../wire/Text.ts"
import { Uuid } from "../wire/Uuid.ts"
import { CreateWithdrawal, Withdrawal } from "../wire/Withdrawal.ts"
import { DailyLimit, WithdrawalEstimate } from "../wire/WithdrawalEstimate.ts"
import { created, idempotencyHeaders } from "./shared.ts"

/** Sending balance to the tenant's own verified addresses. */
export class WithdrawalsGroup extends HttpApiGroup.make("withdrawals")
  .add(
    HttpApiEndpoint.post("create", "/v1/withdrawals", {
      headers: idempotencyHeaders,
      payload: CreateWithdrawal,
      success: Withdrawal.pipe(created),
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "withdrawals:write",
        built: true,
        idempotencyKey: true,
        signedByPolicy: "withdrawals",
        summary: "Withdraw balance",
        description:
          "Sends balance to the verified address for the currency. The destination is never a request field.",
        refuses: [
          "unsupported_asset",
          "amount_invalid",
          "amount_too_precise",
          "below_minimum",
          "insufficient_balance",
          "withdrawal_limit_exceeded",
          "destination_not_verified",
          "payouts_disabled",
          "price_unavailable",
          "product_not_enabled"
        ]
      })
    ),
    HttpApiEndpoint.get("list", "/v1/withdrawals", {
      query: {
        status: Schema.optionalKey(CodeText),
        limit: Schema.optionalKey(queryLimit(listLimits.withdrawals))
      },
      success: Schema.Array(Withdrawal),
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "withdrawals:read",
        built: true,
        summary: "List withdrawals",
        description: "Newest first.",
        refuses: ["unknown_status", "limit_out_of_range"]
      })
    ),
    HttpApiEndpoint.get("estimate", "/v1/withdrawals/estimate", {
      query: {
        currency: Schema.optionalKey(CurrencyText),
        amount: Schema.optionalKey(AmountText)
      },
      success: WithdrawalEstimate,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "withdrawals:read",
        built: true,
        summary: "Estimate a withdrawal",
        description:
          "Reserves nothing. `network_fee` and `amount_received` are null when the network cost is unknown, as it always is where the custodian is of another environment than the tenant. Without a currency, one with a verified destination is used, if there is any. Without an amount, the estimate is for an amount of 0: the fees that apply to any amount.",
        refuses: ["unsupported_asset", "amount_invalid", "amount_too_precise"]
      })
    ),
    HttpApiEndpoint.get("limit", "/v1/withdrawals/limit", { success: DailyLimit, error: wireErrors }).annotateMerge(
      route({
        scope: "withdrawals:read",
        built: true,
        summary: "Withdrawal limit",
        description:
          "The rolling limit in USD, over 24 hours unless the tenant's settings say otherwise, with what is spent and what remains. What was spent counts in buckets of five minutes, each whole until the window has left all of it."
      })
    ),
    HttpApiEndpoint.get("get", "/v1/withdrawals/:withdrawal_id", {
      params: { withdrawal_id: Uuid },
      success: Withdrawal,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "withdrawals:read",
        built: true,
        summary: "Read a withdrawal",
        description: "On settlement it carries `network_fee` as reported and `tx_hash`.",
        refuses: ["not_found"]
      })
    ),
    HttpApiEndpoint.get("destinations", "/v1/destinations", {
      success: Schema.Array(Destination),
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "withdrawals:read",
        built: true,
        summary: "List destinations",
        description: "One address per currency, added and verified by the operators, never through this interface."
      })
    ),
    HttpApiEndpoint.post("prove", "/v1/payments/proof", {
      payload: ProveIn,
      success: Proof,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "withdrawals:read",
        built: true,
        summary: "Prove a payment",
        description: "Reads the chain and writes nothing. Only PROVEN is grounds to act.",
        refuses: [
          "product_not_enabled",
          "unknown_network",
          "unsupported_asset",
          "address_invalid",
          "amount_invalid",
          "amount_too_precise"
        ]
      })
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Withdrawals",
      description: "Balance sent to the tenant's own verified addresses, and proof of payments."
    })
  ) {}
