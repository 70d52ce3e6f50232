import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { route } from "../annotations/route.ts"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { listLimits, queryLimit } from "../wire/QueryParameters.ts"
import { CodeText, ReferenceText } from "../wire/Text.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { CreateTransfer, Transfer } from "../wire/Transfer.ts"
import { Uuid } from "../wire/Uuid.ts"
import { created, idempotencyHeaders } from "./shared.ts"

/** Fiat transfers. */
export class TransfersGroup extends HttpApiGroup.make("transfers")
  .add(
    HttpApiEndpoint.post("create", "/v1/transfers", {
      headers: idempotencyHeaders,
      payload: CreateTransfer,
      success: Transfer.pipe(created),
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "transfers:write",
        built: true,
        idempotencyKey: true,
        signedByPolicy: "transfers",
        summary: "Create a transfer",
        description:
          "Moves fiat value in, out or between accounts. 201 means accepted; follow the status or the events. A REFUND pays money back to the account that it came from: its beneficiary_account is the id of a settled ON_RAMP, and beneficiary is omitted. All refunds of an ON_RAMP together cannot exceed what arrived. An ON_RAMP whose payer the provider has not reported cannot be refunded.",
        refuses: [
          "not_found",
          "unknown_kind",
          "unsupported_asset",
          "amount_invalid",
          "amount_too_precise",
          "below_minimum",
          "insufficient_balance",
          "payout_limit_exceeded",
          "daily_limit_exceeded",
          "new_address_limit_exceeded",
          "price_unavailable",
          "pair_unavailable",
          "quote_already_used",
          "quote_expired",
          "quote_mismatch",
          "customer_not_verified",
          "capability_missing",
          "account_not_active",
          "beneficiary_invalid",
          "product_not_enabled"
        ]
      })
    ),
    HttpApiEndpoint.get("list", "/v1/transfers", {
      query: {
        partner_reference: Schema.optionalKey(ReferenceText),
        status: Schema.optionalKey(CodeText),
        created_after: Schema.optionalKey(Timestamp),
        limit: Schema.optionalKey(queryLimit(listLimits.transfers))
      },
      success: Schema.Array(Transfer),
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "transfers:read",
        built: true,
        summary: "List transfers",
        description: "Newest first; an unknown status is refused.",
        refuses: ["unknown_status", "limit_out_of_range"]
      })
    ),
    HttpApiEndpoint.get("get", "/v1/transfers/:transfer_id", {
      params: { transfer_id: Uuid },
      success: Transfer,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "transfers:read",
        built: true,
        summary: "Read a transfer",
        description: "A transfer of the tenant.",
        refuses: ["not_found"]
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Transfers", description: "Fiat transfers." })) {}
