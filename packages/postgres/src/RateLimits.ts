import { RateLimits } from "@bursar/core/port/RateLimits"
import { Effect, Layer, Schedule } from "effect"
import { Connection } from "./Connection.ts"
import { attempt } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"
import { arrayParameter, int4, text } from "./internal/columnTypes.ts"

/** Sliding windows that hold over all processes: one round trip per request, whatever the number of windows. */
export const layer = Layer.effect(
  RateLimits,
  Effect.gen(function* () {
    const { sql } = yield* Connection
    // a subject that is not heard of any more takes no room; rows that are in use are left alone
    yield* Effect.forkScoped(
      sql`delete from rate_window where subject in (
        select subject from rate_window where last_second < (select max(last_second) from rate_window) - 3600
        for update skip locked)`.pipe(
        Effect.catchCause((cause) => Effect.logWarning("old rate windows were not removed", cause)),
        Effect.repeat(Schedule.spaced("10 minutes"))
      )
    )
    return RateLimits.of({
      take: (windows, now) =>
        sql<Row>`select allowed, remaining, reset_seconds, denied_limit from take_rate(
          ${arrayParameter(
            text,
            windows.map(({ subject }) => subject)
          )},
          ${arrayParameter(
            int4,
            windows.map(({ limit }) => limit)
          )},
          ${Math.floor(now / 1000)}::int8)`.pipe(
          Effect.map(([row]) =>
            Cell.flag(row?.allowed)
              ? {
                  _tag: "Allowed" as const,
                  remaining: Cell.int(row?.remaining),
                  resetSeconds: Cell.int(row?.reset_seconds)
                }
              : {
                  _tag: "Denied" as const,
                  limit: Cell.int(row?.denied_limit),
                  retryAfterSeconds: Cell.int(row?.reset_seconds)
                }
          ),
          attempt("take a request from its limits")
        )
    })
  })
)
