import { Schema } from "effect"
import { integer, type Present } from "./variable.ts"

/** Where a worker or a signer shows its metrics. */
export interface MetricsSettings {
  readonly host: string
  readonly port: number
}

/** The variables that say so. The server shows its own at the operators' port. */
export const metricsVariables = {
  METRICS_HOST: Schema.optionalKey(Schema.NonEmptyString),
  METRICS_PORT: Schema.optionalKey(integer(0, 65_535))
}

/** A host without a port, which would show nothing. */
export const metricsMistakes = (given: Present): ReadonlyArray<string> =>
  given["METRICS_HOST"] !== undefined && given["METRICS_PORT"] === undefined
    ? ["METRICS_PORT is missing, without which METRICS_HOST means nothing"]
    : []

/** Where the metrics are shown; null where they are not. */
export const metricsOf = ({
  METRICS_HOST: host = "127.0.0.1",
  METRICS_PORT: port
}: Schema.Struct.Type<typeof metricsVariables>): MetricsSettings | null => (port === undefined ? null : { host, port })
