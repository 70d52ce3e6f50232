import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Endless } from "../annotations/Endless.ts"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { Event } from "../wire/Event.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"

/**
 * What can have changed: what was committed for tenants, their deposits, what was committed for the service itself (observations, breaks,
 * switches, its grants), what operators did, and how networks are read.
 */
export const liveTopics = ["operations", "deposits", "service", "actions", "networks"] as const
/** What can have changed. */
export type LiveTopic = (typeof liveTopics)[number]

const id = Schema.optional(Schema.String)

/** Something has changed: read again what you show of it. */
const Changed = Schema.Struct({
  id,
  event: Schema.Literal("changed"),
  data: Schema.fromJsonString(
    Schema.Struct({
      topics: Schema.Array(Schema.Literals(liveTopics)),
      missed: Schema.Boolean.annotate({ description: "More happened than the stream still knows: read everything." })
    })
  )
})

/** An outcome, as its tenant is told it. */
const Happened = Schema.Struct({
  id,
  event: Schema.Literal("happened"),
  data: Schema.fromJsonString(Schema.Struct({ tenant_id: Uuid, tenant: Schema.String, happened: Event }))
})

/** Nothing happened, and the stream is there. */
const Beat = Schema.Struct({
  id,
  event: Schema.Literal("beat"),
  data: Schema.fromJsonString(Schema.Struct({ at: Timestamp }))
})

/** The stream is over, and the reason. */
const Ended = Schema.Struct({
  id,
  event: Schema.Literal("ended"),
  data: Schema.fromJsonString(Schema.Struct({ reason: Schema.Literals(["session", "shutdown", "behind"]) }))
})

/** One event of the stream. */
export const LiveEvent = Schema.Union([Changed, Happened, Beat, Ended]).annotate({ identifier: "LiveEvent" })
/** One event of the stream. */
export type LiveEvent = typeof LiveEvent.Type

/** How long an id of an event may be. */
const idLengthMax = 512

/** What happens, as it happens. */
export class LiveGroup extends HttpApiGroup.make("live")
  .add(
    HttpApiEndpoint.get("stream", "/stream", {
      headers: {
        "last-event-id": Schema.optionalKey(Schema.String.check(Schema.isMaxLength(idLengthMax)))
      },
      success: HttpApiSchema.StreamSse({ events: LiveEvent }),
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Follow what happens",
          "A stream of server-sent events. `changed` says what has changed since the event before, `happened` is an outcome as its tenant is told it, `beat` comes while there is nothing else, `ended` says why the stream ends: your session is over or your role is another, the server shuts down, or you read too slowly. Send the id of the last event that you have as `Last-Event-ID` to any server process: you get what has changed since, and the outcomes of the time between. Those of the last minute can come twice: tell them by tenant and id. Each process serves 100 streams, and 16 of one operator; more are answered `rate_limited`.",
          ["rate_limited"]
        )
      )
      .annotate(Endless, true)
  )
  .annotateMerge(OpenApi.annotations({ title: "Live", description: "What happens, as it happens." }))
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
