import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { route } from "../annotations/route.ts"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { Signed } from "../middleware/Signed.ts"
import { ChainPayout, CreateChainPayout } from "../wire/ChainPayout.ts"
import { ChainPayoutEstimate } from "../wire/ChainPayoutEstimate.ts"
import { AmountText } from "../wire/Money.ts"
import { AddressText, CurrencyText, NetworkText } from "../wire/Text.ts"
import { Uuid } from "../wire/Uuid.ts"
import { created, idempotencyHeaders } from "./shared.ts"

/** Payments to on-chain addresses. */
export class ChainPayoutsGroup extends HttpApiGroup.make("chainPayouts")
  .add(
    HttpApiEndpoint.post("create", "/v1/chain-payouts", {
      headers: idempotencyHeaders,
      payload: CreateChainPayout,
      success: ChainPayout.pipe(created),
      error: wireErrors
    })
      .middleware(Signed)
      .annotateMerge(
        route({
          scope: "chain_payouts:write",
          built: true,
          idempotencyKey: true,
          signed: true,
          summary: "Pay an on-chain address",
          description:
            "Pays from the tenant's payout wallet on the network. 201 means accepted, not sent; follow the status or the events.",
          refuses: [
            "unknown_network",
            "unsupported_asset",
            "address_invalid",
            "address_is_ours",
            "memo_required",
            "memo_invalid",
            "amount_invalid",
            "amount_too_precise",
            "below_minimum",
            "insufficient_balance",
            "payout_limit_exceeded",
            "daily_limit_exceeded",
            "new_address_limit_exceeded",
            "payouts_disabled",
            "price_unavailable",
            "tenant_mismatch",
            "product_not_enabled"
          ]
        })
      ),
    HttpApiEndpoint.get("estimate", "/v1/chain-payouts/estimate", {
      query: {
        network: Schema.optionalKey(NetworkText),
        currency: Schema.optionalKey(CurrencyText),
        amount: Schema.optionalKey(AmountText),
        address: Schema.optionalKey(AddressText)
      },
      success: ChainPayoutEstimate,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "chain_payouts:read",
        built: true,
        summary: "Estimate a chain payout",
        description:
          "Reserves and writes nothing. Unknown values are null, and `usd_unavailable` names the currencies of the figures that are missing. Without a network, the network of the currency is used or, if that is missing too, a network on which the tenant can pay. Without a currency, the native asset of the network is used. Without an amount, the estimate is for an amount of 0: the fees that apply to any amount.",
        refuses: ["unknown_network", "unsupported_asset", "address_invalid", "amount_invalid", "amount_too_precise"]
      })
    ),
    HttpApiEndpoint.get("get", "/v1/chain-payouts/:payout_id", {
      params: { payout_id: Uuid },
      success: ChainPayout,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "chain_payouts:read",
        built: true,
        summary: "Read a chain payout",
        description: "A chain payout of the tenant, and nothing else.",
        refuses: ["not_found"]
      })
    )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Chain payouts", description: "Signed payments to on-chain addresses." })
  ) {}
