import { toIso } from "@bursar/core/base/Timestamp"
import { type Event, eventKinds } from "@bursar/core/event/Event"

/** The body of a delivery (spec, "Webhook"): the row of the feed with its resource named. The same event, the same text. */
export const webhookBody = ({ data, id, kind, occurredAt, resourceId }: Event): string =>
  JSON.stringify({
    id,
    type: kind,
    resource: { type: eventKinds[kind], id: resourceId },
    occurred_at: toIso(occurredAt),
    data
  })
