import { Schema } from "effect"
import { JsonObject } from "../errors/ErrorBody.ts"
import { Timestamp } from "./Timestamp.ts"
import { Uuid } from "./Uuid.ts"

/** An outcome. Kinds may be added; a consumer passes over those it does not know. */
export const Event = Schema.Struct({
  id: Schema.Int.annotate({ description: "Rises by one per event of the tenant." }),
  kind: Schema.String,
  resource_id: Uuid,
  occurred_at: Timestamp,
  data: JsonObject
}).annotate({ identifier: "Event" })
/** An outcome. */
export type Event = typeof Event.Type

/** Events in id order; `next_after` is null on an empty page. */
export const EventPage = Schema.Struct({
  events: Schema.Array(Event),
  next_after: Schema.NullOr(Schema.Int)
}).annotate({ identifier: "EventPage" })
/** Events in id order. */
export type EventPage = typeof EventPage.Type
