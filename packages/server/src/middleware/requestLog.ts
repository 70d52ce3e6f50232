import { Clock, Effect, Metric } from "effect"
import { HttpServerRequest } from "effect/http"
import { CurrentRequest } from "../http/CurrentRequest.ts"
import { pathOf } from "../http/pathOf.ts"
import type { HttpApp } from "../http/HttpApp.ts"

const description = "Requests answered, by interface, route and status."
const boundaries = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000]

interface Series {
  readonly count: Metric.Counter<number>
  readonly duration: Metric.Histogram<number>
}

const makeSeries = (port: string) => {
  const all = new Map<string, Series>()
  return (route: string, status: string): Series => {
    const key = `${status} ${route}`
    const known = all.get(key)
    if (known !== undefined) return known
    const series: Series = {
      count: Metric.counter("http_requests", { description, incremental: true, attributes: { port, route, status } }),
      duration: Metric.histogram("http_request_duration_milliseconds", {
        description: "How long an answer took, by interface and route.",
        boundaries,
        attributes: { port, route }
      })
    }
    all.set(key, series)
    return series
  }
}

/**
 * Writes one line per request — its id, tenant, route template, status and duration — and counts it. Never the query,
 * headers or bodies, nor a path that is not one of the `fixedPaths` outside the contract: they hold keys and references.
 * `port` names the interface.
 */
export const requestLog = (port: "partner" | "operator", fixedPaths: ReadonlySet<string>) => {
  const seriesOf = makeSeries(port)
  const routeOf = (route: string | null, method: string, url: string): string | null => {
    if (route !== null) return route
    const path = pathOf(url)
    return fixedPaths.has(path) ? `${method} ${path}` : null
  }
  return <E, R>(app: HttpApp<E, R>): HttpApp<E, R> =>
    Effect.gen(function* () {
      const started = yield* Clock.currentTimeNanos
      const facts = yield* CurrentRequest
      const { method, url } = yield* HttpServerRequest.HttpServerRequest
      const done = (status: number) =>
        Effect.gen(function* () {
          const ended = yield* Clock.currentTimeNanos
          const milliseconds = Number(ended - started) / 1e6
          const route = routeOf(facts.route, method, url)
          const series = seriesOf(route ?? "none", String(status))
          yield* Metric.update(series.count, 1)
          yield* Metric.update(series.duration, milliseconds)
          yield* Effect.logInfo("request.answered").pipe(
            Effect.annotateLogs({
              request_id: facts.id,
              port,
              tenant: facts.tenant?.slug ?? null,
              route: route ?? `${method} (no route)`,
              status,
              duration_ms: Math.round(milliseconds * 10) / 10
            })
          )
        })
      return yield* Effect.matchCauseEffect(app, {
        // Only a client that hangs up leaves no answer here.
        onFailure: (cause) => Effect.andThen(done(499), Effect.failCause(cause)),
        onSuccess: (response) => Effect.as(done(response.status), response)
      })
    })
}
