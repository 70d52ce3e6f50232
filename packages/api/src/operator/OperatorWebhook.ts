import { Schema } from "effect"
import { text } from "../wire/Text.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"

const EventId = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

/** A webhook endpoint to create; `kinds` left out means every kind. */
export const CreateWebhook = Schema.Struct({
  url: text(2_000),
  kinds: Schema.optionalKey(Schema.Array(text(64)).check(Schema.isMinLength(1), Schema.isMaxLength(100)))
}).annotate({
  identifier: "CreateWebhook",
  examples: [{ url: "https://partner.example/hooks", kinds: ["deposit.confirmed", "deposit.settled"] }]
})
/** A webhook endpoint to create. */
export type CreateWebhook = typeof CreateWebhook.Type

const fields = {
  id: Uuid,
  url: Schema.String,
  kinds: Schema.NullOr(Schema.Array(Schema.String)).annotate({ description: "Null means every kind." }),
  enabled: Schema.Boolean,
  disabled_reason: Schema.NullOr(Schema.String),
  secret_staged: Schema.Boolean.annotate({ description: "Whether a new secret waits for activation." }),
  staged_secret: Schema.NullOr(Schema.String).annotate({
    description:
      "What tells the new secret that waits from any other, and not the secret itself; null where none waits. Activate it by that."
  }),
  created_at: Timestamp
}

/** A webhook endpoint, without its secret. */
export const OperatorWebhook = Schema.Struct(fields).annotate({ identifier: "OperatorWebhook" })
/** A webhook endpoint, without its secret. */
export type OperatorWebhook = typeof OperatorWebhook.Type

/** A webhook endpoint with a secret just made; the secret is shown here and never again. */
export const OperatorWebhookSecret = Schema.Struct({ ...fields, secret: Schema.String }).annotate({
  identifier: "OperatorWebhookSecret"
})
/** A webhook endpoint with a secret just made. */
export type OperatorWebhookSecret = typeof OperatorWebhookSecret.Type

/** The webhook endpoints of a tenant. */
export const OperatorWebhookList = Schema.Struct({ webhooks: Schema.Array(OperatorWebhook) }).annotate({
  identifier: "OperatorWebhookList"
})
/** The webhook endpoints of a tenant. */
export type OperatorWebhookList = typeof OperatorWebhookList.Type

/** One event to deliver again. */
export const ResendEvent = Schema.Struct({ event_id: EventId }).annotate({
  identifier: "ResendEvent",
  examples: [{ event_id: 41 }]
})
/** One event to deliver again. */
export type ResendEvent = typeof ResendEvent.Type

/** A range of events to deliver again, both ends included. */
export const ReplayEvents = Schema.Struct({ from_event_id: EventId, to_event_id: EventId }).annotate({
  identifier: "ReplayEvents",
  examples: [{ from_event_id: 41, to_event_id: 90 }]
})
/** A range of events to deliver again. */
export type ReplayEvents = typeof ReplayEvents.Type

/** How many deliveries were queued. */
export const DeliveriesQueued = Schema.Struct({
  queued: Schema.Int,
  enabled: Schema.Boolean.annotate({
    description: "Whether the endpoint is enabled. If it is not, nothing is sent until it is."
  })
}).annotate({ identifier: "DeliveriesQueued" })
/** How many deliveries were queued. */
export type DeliveriesQueued = typeof DeliveriesQueued.Type

const attemptFields = {
  event_id: Schema.Int,
  attempt: Schema.Int,
  attempted_at: Timestamp,
  status: Schema.NullOr(Schema.Int),
  duration_ms: Schema.Int,
  delivered: Schema.Boolean,
  problem: Schema.NullOr(Schema.String),
  response: Schema.NullOr(Schema.String).annotate({ description: "The beginning of the answer's body." })
}

/** What the endpoint answered to one delivery; `status` is null when there was no answer. */
export const WebhookAttempt = Schema.Struct(attemptFields).annotate({ identifier: "WebhookAttempt" })
/** What the endpoint answered to one delivery. */
export type WebhookAttempt = typeof WebhookAttempt.Type

/** An attempt to deliver something, with the endpoint that it was for. */
export const EndpointAttempt = Schema.Struct({ webhook_id: Uuid, url: Schema.String, ...attemptFields }).annotate({
  identifier: "EndpointAttempt"
})
/** An attempt to deliver something, with the endpoint that it was for. */
export type EndpointAttempt = typeof EndpointAttempt.Type

/** The attempts of an endpoint, newest first. */
export const WebhookAttemptList = Schema.Struct({
  attempts: Schema.Array(WebhookAttempt),
  waiting: Schema.Int.annotate({
    description:
      "How many deliveries wait to be made again: retries, resends and what is left of replays; 100,000 stands for as many or more."
  })
}).annotate({
  identifier: "WebhookAttemptList"
})
/** The attempts of an endpoint, newest first. */
export type WebhookAttemptList = typeof WebhookAttemptList.Type

/** The event that a ping delivers. */
export const WebhookPing = Schema.Struct({ event_id: Schema.Int }).annotate({ identifier: "WebhookPing" })
