import { apiError } from "@bursar/api/errors/ApiError"
import { Operator } from "@bursar/api/operator/Operator"
import { OperatorApi } from "@bursar/api/OperatorApi"
import type { LiveEvent } from "@bursar/api/operator/LiveGroup"
import { toIso } from "@bursar/core/base/Timestamp"
import { Tenants } from "@bursar/core/port/Tenants"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect, Stream } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentRequest } from "../../../http/CurrentRequest.ts"
import { Closing } from "../../../live/Closing.ts"
import { LiveFeed } from "../../../live/LiveFeed.ts"
import { LivePace } from "../../../live/LivePace.ts"
import { OpenStreams } from "../../../live/OpenStreams.ts"
import { readPosition } from "../../../live/Position.ts"
import { StillOperator } from "../../../live/StillOperator.ts"
import { tell } from "./tell.ts"

/** After how long somebody who has too many streams should ask again, in seconds. */
const retryAfterSeconds = 10

const ended = (reason: "session" | "shutdown"): LiveEvent => ({ event: "ended", data: { reason } })

/** GET /operator/v1/stream. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "live",
  Effect.fnUntraced(function* (handlers) {
    const feed = yield* LiveFeed
    const streams = yield* OpenStreams
    const tenants = yield* Tenants
    const pace = yield* LivePace
    const closing = yield* Closing

    const slugOf = (id: TenantId) =>
      tenants.byId(id).pipe(
        Effect.map((tenant) => tenant?.slug ?? ""),
        Effect.orElseSucceed(() => "")
      )

    const beats = Stream.drop(Stream.tick(pace.beatEveryMs), 1).pipe(
      Stream.mapEffect(() =>
        Effect.map(Clock.currentTimeMillis, (at): LiveEvent => ({ event: "beat", data: { at: toIso(at) } }))
      )
    )

    /** Ends a stream with the session that it began with, and when the person's role is another. What cannot be found out changes nothing. */
    const session = ({ name, role }: Operator["Service"], again: typeof StillOperator.Service) =>
      Stream.drop(Stream.tick(pace.checkEveryMs), 1).pipe(
        Stream.mapEffect(() =>
          Effect.match(again, {
            onSuccess: (now) => now.name !== name || now.role !== role,
            onFailure: ({ error }) => error.code !== "provider_unavailable"
          })
        ),
        Stream.filter((over) => over),
        Stream.map(() => ended("session"))
      )

    return handlers.handleAll({
      stream: Effect.fnUntraced(function* ({ headers }) {
        const operator = yield* Operator
        const again = yield* StillOperator
        if (streams.isFull(operator.name))
          return yield* apiError("rate_limited", {
            message: "Too many streams are open. Close one, or ask again later.",
            retryAfterSeconds
          })
        const facts = yield* CurrentRequest
        facts.responseHeaders["x-accel-buffering"] = "no"
        const given = headers["last-event-id"]
        const told = tell(feed, { from: given === undefined ? null : readPosition(given), slugOf })
        const over = Stream.as(Stream.fromEffect(closing), ended("shutdown"))
        return Stream.unwrap(
          Effect.as(
            streams.open(operator.name),
            Stream.mergeAll([told, beats, session(operator, again), over], { concurrency: "unbounded" }).pipe(
              Stream.takeUntil(({ event }) => event === "ended")
            )
          )
        )
      })
    })
  })
)
