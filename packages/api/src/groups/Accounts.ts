import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { route } from "../annotations/route.ts"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { Account, AccountEntry, CreateAccount } from "../wire/Account.ts"
import { listLimits, queryLimit } from "../wire/QueryParameters.ts"
import { Uuid } from "../wire/Uuid.ts"
import { created, idempotencyHeaders } from "./shared.ts"

const params = { account_id: Uuid }

/** The fiat accounts of customers. */
export class AccountsGroup extends HttpApiGroup.make("accounts")
  .add(
    HttpApiEndpoint.post("create", "/v1/accounts", {
      headers: idempotencyHeaders,
      payload: CreateAccount,
      success: Account.pipe(created),
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "accounts:write",
        built: true,
        idempotencyKey: true,
        summary: "Request an account",
        description: "Requests fiat account details for a customer; PENDING until the provider issues them.",
        refuses: [
          "not_found",
          "unsupported_asset",
          "customer_not_verified",
          "capability_missing",
          "product_not_enabled"
        ]
      })
    ),
    HttpApiEndpoint.get("get", "/v1/accounts/:account_id", {
      params,
      success: Account,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "accounts:read",
        built: true,
        summary: "Read an account",
        description: "The account and, once issued, its details.",
        refuses: ["not_found"]
      })
    ),
    HttpApiEndpoint.get("entries", "/v1/accounts/:account_id/entries", {
      params,
      query: { limit: Schema.optionalKey(queryLimit(listLimits.accountEntries)) },
      success: Schema.Array(AccountEntry),
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "accounts:read",
        built: true,
        summary: "Ledger lines of an account",
        description: "The lines of the account's ledger.",
        refuses: ["not_found", "limit_out_of_range"]
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Accounts", description: "Fiat accounts of customers." })) {}
