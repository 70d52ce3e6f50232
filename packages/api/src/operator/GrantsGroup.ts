import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { created } from "../groups/shared.ts"
import { listLimits, queryAfter, queryLimit } from "../wire/QueryParameters.ts"
import { Uuid } from "../wire/Uuid.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import {
  AppendGrant,
  ApproveGrant,
  GrantChain,
  OperatorApprovers,
  OperatorGrantEntry,
  OperatorGrantEntryList,
  OperatorGrantImport,
  OperatorGrantProposal,
  OperatorGrantProposalList,
  OperatorGrantReport,
  ProposeGrant,
  RejectGrant
} from "./OperatorGrant.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"
import { RequiredRole } from "./RequiredRole.ts"
import { ConsentNeeded, byApprovers } from "./Consent.ts"

const ofChain = { chain: GrantChain }
const ofProposal = { chain: GrantChain, proposal_id: Uuid }

/** Grants: what people agree with their own keys, in chains that everybody can verify. */
export class GrantsGroup extends HttpApiGroup.make("grants")
  .add(
    HttpApiEndpoint.get("approvers", "/grants/approvers", {
      success: OperatorApprovers,
      error: wireErrors
    }).annotateMerge(
      operatorRoute("Show the approvers", "Who may approve grants now, and how many people each kind takes.", [
        "product_not_enabled",
        "state_conflict"
      ])
    ),
    HttpApiEndpoint.get("verify", "/grants/verify", { success: OperatorGrantReport, error: wireErrors }).annotateMerge(
      operatorRoute(
        "Verify the chains of grants",
        "Verifies every chain from the configured root, and names what does not hold. `bursar grant verify` does the same without this service.",
        ["product_not_enabled"]
      )
    ),
    HttpApiEndpoint.get("entries", "/grants/chains/:chain/entries", {
      params: ofChain,
      query: {
        after: Schema.optionalKey(queryAfter),
        limit: Schema.optionalKey(queryLimit(listLimits.operatorLists))
      },
      success: OperatorGrantEntryList,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "List grants",
        "The grants of a chain in their order, as they were signed. For the next page, set `after` to the last number.",
        ["not_found", "limit_out_of_range", "product_not_enabled"]
      )
    ),
    HttpApiEndpoint.post("append", "/grants/chains/:chain/entries", {
      params: ofChain,
      payload: AppendGrant,
      success: OperatorGrantEntry.pipe(created),
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Append a grant",
          "For a grant that was approved elsewhere: it holds if enough people have signed it. What stands on the chain already is answered as it is.",
          ["not_found", "invalid_request", "product_not_enabled", "state_conflict"]
        )
      )
      .annotate(RequiredRole, "approver"),
    HttpApiEndpoint.get("importable", "/grants/chains/:chain/import", {
      params: ofChain,
      success: OperatorGrantImport,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "List what is not granted yet",
        "The settings that the service has of before grants. `bursar grant import` makes grants of them.",
        ["not_found", "product_not_enabled", "state_conflict"]
      )
    ),
    HttpApiEndpoint.get("list", "/grants/chains/:chain/proposals", {
      params: ofChain,
      success: OperatorGrantProposalList,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "List proposals",
        "The proposals of a chain: first all that are undecided and have not expired, then at most 200 others. Newest first.",
        ["not_found", "product_not_enabled", "state_conflict"]
      )
    ),
    HttpApiEndpoint.get("show", "/grants/chains/:chain/proposals/:proposal_id", {
      params: ofProposal,
      success: OperatorGrantProposal,
      error: wireErrors
    }).annotateMerge(
      operatorRoute("Show a proposal", "What it changes, who approved it, and how many people it takes.", [
        "not_found",
        "product_not_enabled",
        "state_conflict"
      ])
    ),
    HttpApiEndpoint.post("propose", "/grants/chains/:chain/proposals", {
      params: ofChain,
      payload: ProposeGrant,
      success: OperatorGrantProposal.pipe(created),
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Propose a grant",
          "Counts as no approval. It holds once enough people have approved it, each with a key of their own.",
          ["not_found", "invalid_request", "product_not_enabled", "state_conflict"]
        )
      )
      .annotate(ConsentNeeded, byApprovers),
    HttpApiEndpoint.post("approve", "/grants/chains/:chain/proposals/:proposal_id/approve", {
      params: ofProposal,
      payload: ApproveGrant,
      success: OperatorGrantProposal,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Approve a grant",
          "Adds a person's signature over the hash of the document. With the last one that it takes, the grant is appended.",
          ["not_found", "invalid_request", "product_not_enabled", "state_conflict"]
        )
      )
      .annotate(RequiredRole, "approver")
      .annotate(ConsentNeeded, byApprovers),
    HttpApiEndpoint.post("reject", "/grants/chains/:chain/proposals/:proposal_id/reject", {
      params: ofProposal,
      payload: RejectGrant,
      success: OperatorGrantProposal,
      error: wireErrors
    }).annotateMerge(
      operatorRoute("Reject a proposal", "For good. It can be proposed again.", [
        "not_found",
        "product_not_enabled",
        "state_conflict"
      ])
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Grants",
      description: "What decides where money may go and how much, approved by people with keys of their own."
    })
  )
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
