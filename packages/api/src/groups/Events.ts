import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { route } from "../annotations/route.ts"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { EventPage } from "../wire/Event.ts"
import { listLimits, queryAfter, queryLimit } from "../wire/QueryParameters.ts"

/** The ordered feed of outcomes. */
export class EventsGroup extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("list", "/v1/events", {
      query: {
        after: Schema.optionalKey(queryAfter),
        limit: Schema.optionalKey(queryLimit(listLimits.events))
      },
      success: EventPage,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "events:read",
        built: true,
        summary: "List events",
        description:
          "Events in id order, those after `after`. Store the last id processed and pass it on; `next_after` is null on an empty page. An `after` beyond the last event is refused with `invalid_cursor`: no answer gave it. Do not start again from 0, or you process every event twice.",
        refuses: ["limit_out_of_range", "invalid_cursor"]
      })
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Events",
      description: "The ordered feed of outcomes. The cursor is the contract; webhooks are the fast path."
    })
  ) {}
