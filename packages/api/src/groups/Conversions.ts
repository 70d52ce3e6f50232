import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { route } from "../annotations/route.ts"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { PairList } from "../wire/Pair.ts"
import { listLimits, queryLimit } from "../wire/QueryParameters.ts"
import { CreateQuote, Quote } from "../wire/Quote.ts"
import { CreateSwap, Swap } from "../wire/Swap.ts"
import { CodeText } from "../wire/Text.ts"
import { Uuid } from "../wire/Uuid.ts"
import { created, idempotencyHeaders } from "./shared.ts"

/** Pairs, quotes and swaps. */
export class ConversionsGroup extends HttpApiGroup.make("conversions")
  .add(
    HttpApiEndpoint.get("pairs", "/v1/pairs", { success: PairList, error: wireErrors }).annotateMerge(
      route({
        scope: "quotes:read",
        built: true,
        summary: "List pairs",
        description: "What can be converted now at the market rate.",
        refuses: ["provider_unavailable"]
      })
    ),
    HttpApiEndpoint.post("quote", "/v1/quotes", {
      payload: CreateQuote,
      success: Quote,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "quotes:read",
        built: true,
        summary: "Quote an operation",
        description:
          "Prices an operation for a short window and reserves nothing. The quote's `id` given as `quote_id` charges that price. Chain payouts and withdrawals take no `quote_id`: a quote of one shows its price and binds nobody. Only a key with `customers:read` is told that a customer may not convert; without it, the swap refuses.",
        refuses: [
          "unsupported_asset",
          "amount_invalid",
          "amount_too_precise",
          "below_minimum",
          "pair_unavailable",
          "price_unavailable",
          "unknown_kind",
          "not_found",
          "customer_not_verified",
          "capability_missing",
          "beneficiary_invalid",
          "product_not_enabled",
          "provider_unavailable"
        ]
      })
    ),
    HttpApiEndpoint.post("swap", "/v1/swaps", {
      headers: idempotencyHeaders,
      payload: CreateSwap,
      success: Swap.pipe(created),
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "swaps:write",
        built: true,
        conditionalScope: { scope: "customers:read", whenField: "customer_id" },
        idempotencyKey: true,
        signedByPolicy: "swaps",
        summary: "Convert balance",
        description:
          "The source amount with its fee leaves the balance at once; `to_amount` is set when the custodian reports what arrived.",
        refuses: [
          "not_found",
          "unsupported_asset",
          "amount_invalid",
          "amount_too_precise",
          "below_minimum",
          "insufficient_balance",
          "pair_unavailable",
          "price_unavailable",
          "quote_already_used",
          "quote_expired",
          "quote_mismatch",
          "customer_not_verified",
          "capability_missing",
          "product_not_enabled"
        ]
      })
    ),
    HttpApiEndpoint.get("list", "/v1/swaps", {
      query: {
        status: Schema.optionalKey(CodeText),
        limit: Schema.optionalKey(queryLimit(listLimits.swaps))
      },
      success: Schema.Array(Swap),
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "swaps:read",
        built: true,
        summary: "List swaps",
        description: "Newest first; an unknown status is refused.",
        refuses: ["unknown_status", "limit_out_of_range"]
      })
    ),
    HttpApiEndpoint.get("get", "/v1/swaps/:swap_id", {
      params: { swap_id: Uuid },
      success: Swap,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "swaps:read",
        built: true,
        summary: "Read a swap",
        description: "A conversion of the tenant.",
        refuses: ["not_found"]
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Conversions", description: "Pairs, quotes and swaps." })) {}
