import { HttpApi, OpenApi } from "effect/http-api"
import { repairOperatorDocument } from "./openapi/repairDocument.ts"
import { AccessGroup } from "./operator/AccessGroup.ts"
import { AddressesGroup } from "./operator/AddressesGroup.ts"
import { BooksGroup } from "./operator/BooksGroup.ts"
import { OperatorCustomersGroup } from "./operator/CustomersGroup.ts"
import { SweepsGroup } from "./operator/SweepsGroup.ts"
import { WalletsGroup } from "./operator/WalletsGroup.ts"
import { CustodyGroup } from "./operator/CustodyGroup.ts"
import { FloatsGroup } from "./operator/FloatsGroup.ts"
import { GrantsGroup } from "./operator/GrantsGroup.ts"
import { HealthGroup } from "./operator/HealthGroup.ts"
import { KeysGroup } from "./operator/KeysGroup.ts"
import { LiveGroup } from "./operator/LiveGroup.ts"
import { AuditGroup } from "./operator/AuditGroup.ts"
import { OperationsGroup } from "./operator/OperationsGroup.ts"
import { PayoutsGroup } from "./operator/PayoutsGroup.ts"
import { HeldArrivalsGroup } from "./operator/HeldArrivalsGroup.ts"
import { QuarantineGroup } from "./operator/QuarantineGroup.ts"
import { ReconciliationGroup } from "./operator/ReconciliationGroup.ts"
import { ReviewsGroup } from "./operator/ReviewsGroup.ts"
import { SessionGroup } from "./operator/SessionGroup.ts"
import { SearchGroup } from "./operator/SearchGroup.ts"
import { SeriesGroup } from "./operator/SeriesGroup.ts"
import { SignInGroup } from "./operator/SignInGroup.ts"
import { SigningKeysGroup } from "./operator/SigningKeysGroup.ts"
import { SuspenseGroup } from "./operator/SuspenseGroup.ts"
import { OperatorSolvencyGroup } from "./operator/SolvencyGroup.ts"
import { TenantsGroup } from "./operator/TenantsGroup.ts"
import { WaitingGroup } from "./operator/WaitingGroup.ts"
import { WebhooksGroup } from "./operator/WebhooksGroup.ts"

// Each group carries its prefix and its middleware itself: as a class it is told by its name, and the whole stays small for the compiler.
const groups = HttpApi.make("operator").add(
  TenantsGroup,
  KeysGroup,
  AddressesGroup,
  SigningKeysGroup,
  CustodyGroup,
  FloatsGroup,
  BooksGroup,
  OperatorSolvencyGroup,
  SuspenseGroup,
  WaitingGroup,
  PayoutsGroup,
  ReviewsGroup,
  OperationsGroup,
  SearchGroup,
  LiveGroup,
  SeriesGroup,
  WebhooksGroup,
  HealthGroup,
  QuarantineGroup,
  ReconciliationGroup,
  HeldArrivalsGroup,
  AuditGroup,
  GrantsGroup,
  SessionGroup,
  SignInGroup,
  AccessGroup,
  SweepsGroup,
  WalletsGroup,
  OperatorCustomersGroup
)

/** The operator interface, served on a port of its own and never on the partner port. */
export class OperatorApi extends groups
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
