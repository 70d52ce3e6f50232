import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { route } from "../annotations/route.ts"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { Limits } from "../Limits.ts"
import { Float, FloatStatement } from "../wire/Float.ts"
import { IntakeCost } from "../wire/IntakeCost.ts"
import { Movement } from "../wire/Movement.ts"
import { ActsFor } from "../wire/OperationStatus.ts"
import { listLimits, queryLimit } from "../wire/QueryParameters.ts"
import { RegisterPage, RegisterSummary } from "../wire/Register.ts"
import { CodeText, CurrencyText, text } from "../wire/Text.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"

const since = Schema.optionalKey(Timestamp)
const until = Schema.optionalKey(Timestamp)

/** The balance, its statement, and the register of all operations. */
export class RegisterGroup extends HttpApiGroup.make("register")
  .add(
    HttpApiEndpoint.get("float", "/v1/float", { success: Float, error: wireErrors }).annotateMerge(
      route({
        scope: "register:read",
        built: true,
        summary: "Balance",
        description: "The balance of every currency: available, held by operations in flight, and their total."
      })
    ),
    HttpApiEndpoint.get("statement", "/v1/float/statement", {
      query: {
        currency: CurrencyText,
        since,
        until,
        limit: Schema.optionalKey(queryLimit(listLimits.statement))
      },
      success: FloatStatement,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "register:read",
        built: true,
        summary: "Statement",
        description:
          "The movements of one currency with the running balance, oldest first; `since` inclusive, `until` exclusive. When `truncated` is true, narrow the dates: pass the last `posted_at` as `since`, and the movement that you have comes first. No two movements have the same `posted_at`: those of one millisecond are a nanosecond apart.",
        refuses: ["unsupported_asset", "limit_out_of_range"]
      })
    ),
    HttpApiEndpoint.get("list", "/v1/register", {
      query: {
        kind: Schema.optionalKey(CodeText),
        status: Schema.optionalKey(CodeText),
        currency: Schema.optionalKey(CurrencyText),
        customer_id: Schema.optionalKey(Uuid),
        acts_for: Schema.optionalKey(ActsFor),
        since,
        until,
        cursor: Schema.optionalKey(text(Limits.cursorLengthMax)),
        limit: Schema.optionalKey(queryLimit(listLimits.register))
      },
      success: RegisterPage,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "register:read",
        built: true,
        summary: "List operations",
        description:
          "Newest first; `since` inclusive, `until` exclusive. A cursor is bound to the filters it was made under.",
        refuses: ["unknown_kind", "unknown_status", "unsupported_asset", "invalid_cursor", "limit_out_of_range"]
      })
    ),
    HttpApiEndpoint.get("summary", "/v1/register/summary", {
      query: { since, until },
      success: RegisterSummary,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "register:read",
        built: true,
        summary: "Totals",
        description: "Counts and sums by kind, currency and status; `since` inclusive, `until` exclusive."
      })
    ),
    HttpApiEndpoint.get("movements", "/v1/register/:operation_id/movements", {
      params: { operation_id: Uuid },
      success: Movement,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "register:read",
        built: true,
        summary: "Ledger legs of an operation",
        description: "Every leg of the operation, oldest first.",
        refuses: ["not_found"]
      })
    ),
    HttpApiEndpoint.get("intakeCost", "/v1/custody/intake-cost", {
      query: { limit: Schema.optionalKey(queryLimit(listLimits.intakeCost)) },
      success: IntakeCost,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "transfers:read",
        built: true,
        summary: "Custody intake cost",
        description:
          "The cost of bringing deposits into custody, by currency, from the service's own measurements: the network fees of sweeps and top-ups. `measurable` is false, with a reason, if nothing was swept yet. `limit` is the number of listed currencies, the most recently swept first.",
        refuses: ["limit_out_of_range"]
      })
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Balance and register",
      description: "The balance, its statement, and the register of all operations."
    })
  ) {}
