import { Effect } from "effect"
import type { MetricsSettings } from "../config/metrics.ts"

/** Shows the metrics of this process on a port of their own until the scope closes, where the settings name one. Otherwise no server is even loaded. */
export const showMetrics = Effect.fn("assemble.showMetrics")(function* ({
  metrics = null
}: {
  readonly metrics?: MetricsSettings | null
}) {
  if (metrics === null) return
  const { listen } = yield* Effect.promise(() => import("@bursar/server/listen"))
  const { processMetricsRoute } = yield* Effect.promise(() => import("@bursar/server/http/metrics"))
  const { url } = yield* listen(processMetricsRoute, metrics)
  yield* Effect.logInfo("metrics.started").pipe(Effect.annotateLogs({ at: url }))
})
