import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { DepositAddress, DepositAddressPage } from "../wire/DepositAddress.ts"
import { Uuid } from "../wire/Uuid.ts"
import { Limits } from "../Limits.ts"
import { listLimits, QueryFlag, queryLimit } from "../wire/QueryParameters.ts"
import { Network } from "../wire/Network.ts"
import { text } from "../wire/Text.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { XpubList } from "../wire/Xpub.ts"
import { HoldAddress } from "./HoldAddress.ts"
import { KeyConflictList } from "./KeyConflict.ts"
import { OperatorIssuingAccount, PrepareIssuing } from "./OperatorIssuingAccount.ts"
import { EndScan, OperatorScan, OperatorScanList, ReorgedDepositList, ScanAddress } from "./OperatorScan.ts"
import { RequiredRole } from "./RequiredRole.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"

const params = { tenant_id: Uuid, address_id: Uuid }

/** The deposit addresses of tenants: what operators hold, and what lost its key to another tenant. */
export class AddressesGroup extends HttpApiGroup.make("addresses")
  .add(
    HttpApiEndpoint.get("list", "/tenants/:tenant_id/addresses", {
      params: { tenant_id: params.tenant_id },
      query: {
        network: Schema.optionalKey(Network),
        reference: Schema.optionalKey(text(256)),
        address: Schema.optionalKey(text(256)),
        include_retired: Schema.optionalKey(QueryFlag),
        after: Schema.optionalKey(Uuid),
        limit: Schema.optionalKey(queryLimit(listLimits.operatorLists))
      },
      success: DepositAddressPage,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "List addresses",
        "Deposit addresses of the tenant, oldest first. An address is found in every spelling that its network knows.",
        ["not_found", "unknown_network", "invalid_cursor", "limit_out_of_range"]
      )
    ),
    HttpApiEndpoint.get("get", "/tenants/:tenant_id/addresses/:address_id", {
      params,
      success: DepositAddress,
      error: wireErrors
    }).annotateMerge(
      operatorRoute("Show an address", "One deposit address of the tenant, also a retired one.", ["not_found"])
    ),
    HttpApiEndpoint.get("xpubs", "/tenants/:tenant_id/xpubs", {
      params: { tenant_id: params.tenant_id },
      success: XpubList,
      error: wireErrors
    }).annotateMerge(
      operatorRoute("List extended public keys", "All of the tenant, oldest first, retired ones included.", [
        "not_found"
      ])
    ),
    HttpApiEndpoint.get("reorged", "/tenants/:tenant_id/reorged-deposits", {
      params: { tenant_id: params.tenant_id },
      query: { limit: Schema.optionalKey(queryLimit(listLimits.operatorLists)) },
      success: ReorgedDepositList,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "List reorged deposits",
        "Deposits whose block left the chain, the latest first. One that was mined again says so by its status.",
        ["not_found", "limit_out_of_range"]
      )
    ),
    HttpApiEndpoint.post("scan", "/tenants/:tenant_id/addresses/:address_id/scan", {
      params,
      payload: ScanAddress,
      success: OperatorScan,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Read an address's past again",
        "The watcher reads the blocks from a moment, or from a block, up to where it is, for this address alone. What is known stays; nothing is credited twice. Repeating it starts another reading.",
        ["not_found", "invalid_request", "state_conflict"]
      )
    ),
    HttpApiEndpoint.get("scans", "/scans", {
      query: {
        ended: Schema.optionalKey(QueryFlag),
        cursor: Schema.optionalKey(text(100)),
        limit: Schema.optionalKey(queryLimit(listLimits.operatorLists))
      },
      success: OperatorScanList,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "List readings of the past",
        "Those that are not finished, of all networks, oldest first, with how far each has come: those after another page where `cursor` is its `next_cursor`. With `ended=true` instead those that operators ended before they were read, the latest first, at most 200 of a network, on one page.",
        ["invalid_cursor", "limit_out_of_range"]
      )
    ),
    HttpApiEndpoint.post("endScan", "/tenants/:tenant_id/scans/:scan_id/end", {
      params: { tenant_id: Uuid, scan_id: Uuid },
      payload: EndScan,
      success: OperatorScan,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "End a reading of the past",
          "For one that no node can serve: it is tried no more. Its blocks from `next_block` on stay unread for its addresses, and what arrived there stays unknown until somebody starts another reading. One that has gone on, is finished or was ended is refused (`state_conflict`).",
          ["state_conflict"]
        )
      )
      .annotate(RequiredRole, "approver"),
    HttpApiEndpoint.get("keyConflicts", "/key-conflicts", {
      query: {
        cursor: Schema.optionalKey(text(Limits.cursorLengthMax)),
        limit: Schema.optionalKey(queryLimit(listLimits.operatorLists))
      },
      success: KeyConflictList,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "List key conflicts",
        "Addresses, extended public keys and wallets of one tenant whose key belongs to another tenant, as an update of the database found. The other tenant keeps the key. Tell the tenant, who may still send money there. Newest first. `cursor` is the `next_cursor` of the page before.",
        ["invalid_cursor", "limit_out_of_range"]
      )
    ),
    HttpApiEndpoint.post("prepareIssuing", "/tenants/:tenant_id/issuing-accounts", {
      params: { tenant_id: params.tenant_id },
      payload: PrepareIssuing,
      success: OperatorIssuingAccount,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Show an issuing account",
          "The account that the tenant's addresses of the network are issued from, with the values of the grant `issuing_account`. Makes the tenant's seed if there is none. Issues nothing.",
          ["not_found", "unknown_network", "provider_unavailable", "product_not_enabled"]
        )
      )
      .annotate(RequiredRole, "admin"),
    HttpApiEndpoint.post("hold", "/tenants/:tenant_id/addresses/:address_id/hold", {
      params,
      payload: HoldAddress,
      success: DepositAddress,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Hold sweeping",
        "Stops the sweeping of the address, even if the tenant releases it. Detection and crediting continue.",
        ["not_found", "state_conflict"]
      )
    ),
    HttpApiEndpoint.post("release", "/tenants/:tenant_id/addresses/:address_id/release", {
      params,
      query: {
        held_at: Schema.optionalKey(Timestamp).annotate({
          description:
            "When the hold that you end was placed: `sweep_held_at` of the answer that shows it. If another hold stands there by now, nothing is released (`state_conflict`). Without it, whatever hold stands there ends."
        })
      },
      success: DepositAddress,
      error: wireErrors
    }).annotateMerge(
      operatorRoute("Release sweeping", "Ends a hold of an operator or of the service. A hold of the tenant stays.", [
        "not_found",
        "state_conflict"
      ])
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Addresses",
      description: "Holds on deposit addresses, and conflicts over their keys."
    })
  )
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
