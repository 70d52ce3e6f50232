import { migrate } from "@bursar/postgres"
import { Effect, Redacted } from "effect"
import { line, whole } from "../line.ts"
import { settings } from "../settings.ts"
import { webhooks as measure } from "../webhooks.ts"
import { type Lines, writerOn } from "./Lines.ts"

const backlogs = [
  [1, settings.webhookEvents],
  [20, Math.ceil(settings.webhookEvents / 4)]
] as const

/** Events of a backlog, delivered to a local receiver. */
export const webhooks: Lines = Effect.fnUntraced(function* (server) {
  const url = Redacted.make(yield* server.ensureDatabase("webhooks"))
  yield* migrate({ url })
  return yield* Effect.forEach(backlogs, ([endpoints, events]) =>
    Effect.map(
      measure(endpoints, events, server.process.pid),
      ({ perSecond, serverMicros, workerMicros }) =>
        line`webhooks to a local receiver, ${endpoints} endpoint${endpoints === 1 ? "" : "s"}: ${whole(perSecond)}/s, ${whole(workerMicros)} µs of the worker's processor each and ${serverMicros === null ? "?" : whole(serverMicros)} µs of PostgreSQL's`
    )
  ).pipe(Effect.provide(writerOn(url)))
})
