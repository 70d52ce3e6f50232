import { Duration, Effect, Schedule } from "effect"
import type { MetricsSettings } from "../config/metrics.ts"

/** How long to wait before a port that cannot be opened is tried again. */
const againAfter = Duration.seconds(5)

/**
 * Shows the metrics of this process on a port of their own until the scope closes, where the settings name one. Otherwise no server is even loaded. A
 * port that cannot be opened is tried again and again meanwhile: nothing that the process is for waits for it.
 */
export const showMetrics = Effect.fn("assemble.showMetrics")(function* ({
  metrics = null
}: {
  readonly metrics?: MetricsSettings | null
}) {
  if (metrics === null) return
  const { listen } = yield* Effect.promise(() => import("@bursar/server/listen"))
  const { processMetricsRoute } = yield* Effect.promise(() => import("@bursar/server/http/metrics"))
  // nothing there is worth a wait: whoever leaves a request open would hold the stop
  const listening = listen(processMetricsRoute, { ...metrics, gracefulShutdownTimeout: Duration.zero })
  const shown = Effect.scoped(
    Effect.flatMap(listening, ({ url }) =>
      Effect.logInfo("metrics.started").pipe(Effect.annotateLogs({ at: url }), Effect.andThen(Effect.never))
    )
  )
  const tried = shown.pipe(
    // told once: while nothing changes, the same port is refused for the same reason
    Effect.catch(({ cause }) =>
      Effect.logError("metrics.not_shown").pipe(
        Effect.annotateLogs({ ...metrics, reason: String(cause) }),
        Effect.andThen(Effect.delay(Effect.retry(shown, Schedule.spaced(againAfter)), againAfter))
      )
    )
  )
  yield* Effect.forkScoped(tried)
})
