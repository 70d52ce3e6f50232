import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { created } from "../groups/shared.ts"
import { listLimits, queryLimit } from "../wire/QueryParameters.ts"
import { text } from "../wire/Text.ts"
import { Uuid } from "../wire/Uuid.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"
import {
  CreateWebhook,
  DeliveriesQueued,
  OperatorWebhook,
  OperatorWebhookList,
  OperatorWebhookSecret,
  ReplayEvents,
  ResendEvent,
  WebhookAttemptList,
  WebhookPing
} from "./OperatorWebhook.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"

const ofTenant = { tenant_id: Uuid }
const params = { tenant_id: Uuid, webhook_id: Uuid }

/** The webhook endpoints of tenants, and what was delivered to them. */
export class WebhooksGroup extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.post("create", "/tenants/:tenant_id/webhooks", {
      params: ofTenant,
      payload: CreateWebhook,
      success: OperatorWebhookSecret.pipe(created),
      error: wireErrors
    }).annotateMerge(operatorRoute("Create an endpoint", "The secret is shown once.", ["not_found", "unknown_kind"])),
    HttpApiEndpoint.get("list", "/tenants/:tenant_id/webhooks", {
      params: ofTenant,
      success: OperatorWebhookList,
      error: wireErrors
    }).annotateMerge(operatorRoute("List endpoints", "All webhook endpoints of the tenant.", ["not_found"])),
    HttpApiEndpoint.post("disable", "/tenants/:tenant_id/webhooks/:webhook_id/disable", {
      params,
      success: OperatorWebhook,
      error: wireErrors
    }).annotateMerge(
      operatorRoute("Disable an endpoint", "Stops deliveries until you enable it again.", ["not_found"])
    ),
    HttpApiEndpoint.post("enable", "/tenants/:tenant_id/webhooks/:webhook_id/enable", {
      params,
      success: OperatorWebhook,
      error: wireErrors
    }).annotateMerge(operatorRoute("Enable an endpoint", "Deliveries continue from now on.", ["not_found"])),
    HttpApiEndpoint.post("rotate", "/tenants/:tenant_id/webhooks/:webhook_id/rotate", {
      params,
      query: {
        replace: Schema.optionalKey(Schema.Literals(["true"])).annotate({
          description:
            "Replaces a new secret that waits to be activated, such as one that was lost. Without it, that is refused."
        })
      },
      success: OperatorWebhookSecret,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Stage a new secret",
        "The new secret is shown once. It is used only after you activate it. While another new secret waits to be activated, the answer is `state_conflict`.",
        ["not_found", "state_conflict"]
      )
    ),
    HttpApiEndpoint.post("activateSecret", "/tenants/:tenant_id/webhooks/:webhook_id/activate-secret", {
      params,
      query: {
        staged: Schema.optionalKey(text(64)).annotate({
          description:
            "The `staged_secret` that you were shown. If another new secret waits by now, none is activated (`state_conflict`). Without it, whatever waits is activated."
        })
      },
      success: OperatorWebhook,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Activate the staged secret",
        "Deliveries are signed with it from now on. Say with `staged` which one you mean: another operator may have replaced it.",
        ["not_found", "state_conflict"]
      )
    ),
    HttpApiEndpoint.post("resend", "/tenants/:tenant_id/webhooks/:webhook_id/resend", {
      params,
      payload: ResendEvent,
      success: DeliveriesQueued,
      error: wireErrors
    }).annotateMerge(
      operatorRoute("Resend an event", "Queues one event for delivery again, whatever kinds the endpoint wants.", [
        "not_found"
      ])
    ),
    HttpApiEndpoint.post("ping", "/tenants/:tenant_id/webhooks/:webhook_id/ping", {
      params,
      success: WebhookPing,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Ping an endpoint",
        "Delivers the newest event that the endpoint wants once more, to see what it answers: `attempts` shows it. Partners know an event that they had by its id. If the endpoint is disabled, the answer is `state_conflict`.",
        ["not_found", "state_conflict"]
      )
    ),
    HttpApiEndpoint.post("replay", "/tenants/:tenant_id/webhooks/:webhook_id/replay", {
      params,
      payload: ReplayEvents,
      success: DeliveriesQueued,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Replay a range",
        "Queues a range of events for delivery again, of the kinds that the endpoint wants.",
        ["not_found"]
      )
    ),
    HttpApiEndpoint.get("attempts", "/tenants/:tenant_id/webhooks/:webhook_id/attempts", {
      params,
      query: { limit: Schema.optionalKey(queryLimit(listLimits.operatorLists)) },
      success: WebhookAttemptList,
      error: wireErrors
    }).annotateMerge(operatorRoute("List attempts", "Newest first.", ["not_found", "limit_out_of_range"]))
  )
  .annotateMerge(OpenApi.annotations({ title: "Webhooks", description: "Endpoints of tenants and their deliveries." }))
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
