import { eventKinds } from "../webhook/eventKinds.ts"
import { webhookHeaders } from "../webhook/webhookHeaders.ts"

const names = webhookHeaders("service")

const header = (name: string, description: string, schema: object) => ({
  name,
  in: "header",
  required: true,
  description,
  schema
})

/** The `webhooks` part of the partner document, under the header names of a service named `service`. */
export const webhooks = {
  event: {
    post: {
      operationId: "webhooks.event",
      summary: "An event",
      description: `Posted to the tenant's endpoint for each event: the same row as in GET /v1/events, with the same id. Any 2xx answer takes it; anything else is tried again, which holds up no later event: an event that failed, or is sent again, arrives after later ones, also of its resource. The ids say in which order things happened. Verify the signature before trusting the body, in constant time, and reject a timestamp more than 300 seconds away. In the header names, \`Service\` stands for the service's own name. Kinds: ${Object.keys(
        eventKinds
      ).join(", ")}.`,
      parameters: [
        header(names.eventId, "The event's id; deduplicate by it.", { type: "integer" }),
        header(names.timestamp, "Unix seconds.", { type: "integer" }),
        header(names.signature, "`v1=<hex>`: HMAC-SHA256 with the shared secret over `<timestamp>.<raw body>`.", {
          type: "string",
          pattern: "^v1=[0-9a-f]{64}$"
        })
      ],
      requestBody: {
        required: true,
        content: { "application/json": { schema: { $ref: "#/components/schemas/WebhookBody" } } }
      },
      responses: { "2XX": { description: "The event was taken." } }
    }
  }
}
