import { HttpApi, OpenApi } from "effect/http-api"
import { AddressProofsGroup } from "./groups/AddressProofs.ts"
import { AccountsGroup } from "./groups/Accounts.ts"
import { ChainPayoutsGroup } from "./groups/ChainPayouts.ts"
import { ConversionsGroup } from "./groups/Conversions.ts"
import { CustomersGroup } from "./groups/Customers.ts"
import { DepositAddressesGroup } from "./groups/DepositAddresses.ts"
import { DepositKeysGroup } from "./groups/DepositKeys.ts"
import { DepositsGroup } from "./groups/Deposits.ts"
import { EventsGroup } from "./groups/Events.ts"
import { IntrospectionGroup } from "./groups/Introspection.ts"
import { RegisterGroup } from "./groups/Register.ts"
import { SolvencyGroup } from "./groups/Solvency.ts"
import { SignatureGroup } from "./groups/Signature.ts"
import { TransfersGroup } from "./groups/Transfers.ts"
import { WithdrawalsGroup } from "./groups/Withdrawals.ts"
import { Authenticated } from "./middleware/Authenticated.ts"
import { Limited } from "./middleware/Limited.ts"
import { PolicySigned } from "./middleware/PolicySigned.ts"
import { SchemaRefusals } from "./middleware/SchemaRefusals.ts"
import { Scoped } from "./middleware/Scoped.ts"
import { repairPartnerDocument } from "./openapi/repairDocument.ts"
import { DepositEventData, OperationEventData, XpubEventData } from "./webhook/EventData.ts"
import { WebhookBody } from "./webhook/WebhookBody.ts"

const groups = HttpApi.make("partner").add(
  IntrospectionGroup,
  DepositAddressesGroup,
  DepositsGroup,
  DepositKeysGroup,
  ChainPayoutsGroup,
  WithdrawalsGroup,
  ConversionsGroup,
  RegisterGroup,
  EventsGroup,
  CustomersGroup,
  AccountsGroup,
  TransfersGroup,
  SignatureGroup,
  AddressProofsGroup,
  SolvencyGroup
)

/**
 * The partner interface, complete: every route of version 1.
 *
 * Middleware runs key, rate, scope, signature (where `Signed` is set, or the tenant's policy demands it), schema: the last added here is the outermost.
 * Unknown fields of a body are errors; unknown query parameters and headers are ignored.
 */
export class PartnerApi extends groups
  .middleware(SchemaRefusals)
  .middleware(PolicySigned)
  .middleware(Scoped)
  .middleware(Limited)
  .middleware(Authenticated)
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.HeadersParseOptions, {})
  .annotate(HttpApi.AdditionalSchemas, [WebhookBody, DepositEventData, OperationEventData, XpubEventData])
  .annotateMerge(
    OpenApi.annotations({
      title: "Bursar Partner API",
      version: "1",
      description:
        "Custody and payments for a partner organisation: deposits, chain payouts, withdrawals, conversions, balance and register, events, customers, fiat accounts and transfers.",
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
      transform: repairPartnerDocument(groups)
    })
  ) {}
