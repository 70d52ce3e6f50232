import { Schema } from "effect"
import { JsonObject } from "../errors/ErrorBody.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"

/** What is posted to a tenant's endpoint: the event of the feed, with its resource named. */
export const WebhookBody = Schema.Struct({
  id: Schema.Int.annotate({ description: "The event's id in the feed; deduplicate by it." }),
  type: Schema.String.annotate({ description: "The event's `kind` in the feed." }),
  resource: Schema.Struct({
    type: Schema.String.annotate({ description: "deposit, operation or xpub." }),
    id: Uuid
  }).annotate({ identifier: "WebhookResource" }),
  occurred_at: Timestamp,
  data: JsonObject
}).annotate({ identifier: "WebhookBody" })
/** What is posted to a tenant's endpoint. */
export type WebhookBody = typeof WebhookBody.Type
