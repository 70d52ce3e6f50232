import { HttpApi, OpenApi } from "effect/http-api"
import { SchemaRefusals } from "./middleware/SchemaRefusals.ts"
import { repairOperatorDocument } from "./openapi/repairDocument.ts"
import { AddressesGroup } from "./operator/AddressesGroup.ts"
import { CustodyGroup } from "./operator/CustodyGroup.ts"
import { FloatsGroup } from "./operator/FloatsGroup.ts"
import { HealthGroup } from "./operator/HealthGroup.ts"
import { KeysGroup } from "./operator/KeysGroup.ts"
import { AuditGroup } from "./operator/AuditGroup.ts"
import { OperatorAudited } from "./operator/OperatorAudited.ts"
import { OperatorAuthenticated } from "./operator/OperatorAuthenticated.ts"
import { OperatorPermitted } from "./operator/OperatorPermitted.ts"
import { PayoutsGroup } from "./operator/PayoutsGroup.ts"
import { SigningKeysGroup } from "./operator/SigningKeysGroup.ts"
import { SuspenseGroup } from "./operator/SuspenseGroup.ts"
import { TenantsGroup } from "./operator/TenantsGroup.ts"
import { WebhooksGroup } from "./operator/WebhooksGroup.ts"

const groups = HttpApi.make("operator")
  .add(
    TenantsGroup,
    KeysGroup,
    AddressesGroup,
    SigningKeysGroup,
    CustodyGroup,
    FloatsGroup,
    SuspenseGroup,
    PayoutsGroup,
    WebhooksGroup,
    HealthGroup,
    AuditGroup
  )
  .prefix("/operator/v1")

/** The operator interface, served on a port of its own and never on the partner port. */
export class OperatorApi extends groups
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated)
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.HeadersParseOptions, {})
  .annotateMerge(
    OpenApi.annotations({
      title: "Bursar Operator API",
      version: "1",
      description: "Tenants, keys, webhook endpoints, networks and the checker, for those who run the service.",
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
      transform: repairOperatorDocument(groups)
    })
  ) {}
