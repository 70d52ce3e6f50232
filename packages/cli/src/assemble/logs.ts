import { Layer, Logger } from "effect"
import { FetchHttpClient } from "effect/http"
import { Otlp, OtlpSerialization } from "effect/observability"
import type { Settings } from "../config/Settings.ts"

/** Logs as JSON, one line each; traces, metrics and logs go to the collector too where one is configured. */
export const layerLogs = ({ otlpEndpoint, serviceName }: Settings): Layer.Layer<never> =>
  Layer.mergeAll(
    Logger.layer([Logger.consoleJson]),
    otlpEndpoint === null
      ? Layer.empty
      : Otlp.layer({ baseUrl: otlpEndpoint, resource: { serviceName } }).pipe(
          Layer.provide(OtlpSerialization.layerJson),
          Layer.provide(FetchHttpClient.layer)
        )
  )
