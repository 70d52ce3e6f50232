import { Effect, Layer, Logger, Tracer } from "effect"
import { FetchHttpClient } from "effect/http"
import { Otlp, OtlpSerialization } from "effect/observability"
import { discreet } from "./discreetTracer.ts"
import type { CommonSettings } from "../config/Settings.ts"

/** Logs as JSON, one line each; traces, metrics and logs go to the collector too where one is configured, traces without what holds secrets. */
export const layerLogs = ({ otlpEndpoint, serviceName }: CommonSettings): Layer.Layer<never> =>
  Layer.mergeAll(
    Logger.layer([Logger.consoleJson]),
    otlpEndpoint === null
      ? Layer.empty
      : Layer.effect(Tracer.Tracer, Effect.map(Effect.service(Tracer.Tracer), discreet)).pipe(
          Layer.provideMerge(Otlp.layer({ baseUrl: otlpEndpoint, resource: { serviceName } })),
          Layer.provide(OtlpSerialization.layerJson),
          Layer.provide(FetchHttpClient.layer)
        )
  )
