import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { Money } from "../wire/Money.ts"
import { OperationStatus } from "../wire/OperationStatus.ts"
import { text } from "../wire/Text.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"

/** What a text was found as. */
export const foundAs = [
  "id",
  "transaction",
  "provider_reference",
  "partner_reference",
  "idempotency_key",
  "address",
  "destination",
  "amount",
  "tenant"
] as const

/** Something that has exactly the text that was looked for. */
export const Found = Schema.Struct({
  what: Schema.Literals(foundAs).annotate({ description: "What of it the text is." }),
  kind: Schema.String.annotate({ description: "The kind of an operation, `ADDRESS` or `TENANT`." }),
  tenant_id: Uuid,
  tenant: Schema.String.annotate({ description: "The tenant's slug." }),
  operation_id: Schema.NullOr(Uuid),
  address_id: Schema.NullOr(Uuid),
  status: Schema.NullOr(OperationStatus),
  amount: Schema.NullOr(Money),
  created_at: Timestamp
}).annotate({ identifier: "Found" })
/** Something that has exactly the text that was looked for. */
export type Found = typeof Found.Type

/** All that was found. */
export const FoundList = Schema.Struct({ found: Schema.Array(Found) }).annotate({ identifier: "FoundList" })

/** How many operations, and how many addresses, are found at most. */
export const foundMax = 50

/** Looks for anything by its id, hash, address or reference. */
export class SearchGroup extends HttpApiGroup.make("search")
  .add(
    HttpApiEndpoint.get("find", "/search", {
      query: { text: text(256) },
      success: FoundList,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Search",
        "Finds operations of any tenant by the exact id, transaction, reference of the provider or of the partner, idempotency key, destination of a chain payout, or amount (`1.5`, or `1.5 ETH`); deposit addresses; and tenants by id or slug. Hashes and addresses are found in every spelling that their network knows. At most 50 operations and 50 addresses, newest first."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Search", description: "Anything by its id, hash, address or reference." })
  )
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
