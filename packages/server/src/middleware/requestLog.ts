import { type Context, Effect, Metric } from "effect"
import { pathOf } from "../http/pathOf.ts"
import type { Underway } from "../http/Step.ts"

const description = "Requests answered, by interface, route and status."
const boundaries = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000]

const answered = Effect.logInfo("request.answered")

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
 * Makes what writes the line of a request when it is answered — its id, tenant, route template, status and duration — and counts it. Never the query,
 * headers or bodies, nor a path that is not one of the `fixedPaths` outside the contract: they hold keys and references.
 * `port` names the interface, and `context` the services of the server, among which metrics find their attributes.
 */
export const requestLog = (port: "partner" | "operator", fixedPaths: ReadonlySet<string>) => {
  const seriesOf = makeSeries(port)
  const routeOf = (route: string | null, method: string, url: string): string | null => {
    if (route !== null) return route
    const path = pathOf(url)
    return fixedPaths.has(path) ? `${method} ${path}` : null
  }
  return ({ clock, facts, request: { method, url } }: Underway) => {
    const started = clock.currentTimeNanosUnsafe()
    return (status: number, context: Context.Context<never>): Effect.Effect<void> => {
      const milliseconds = Number(clock.currentTimeNanosUnsafe() - started) / 1e6
      const route = routeOf(facts.route, method, url)
      const series = seriesOf(route ?? "none", String(status))
      series.count.updateUnsafe(1, context)
      series.duration.updateUnsafe(milliseconds, context)
      return Effect.annotateLogs(answered, {
        request_id: facts.id,
        port,
        tenant: facts.tenant?.slug ?? null,
        route: route ?? `${method} (no route)`,
        status,
        duration_ms: Math.round(milliseconds * 10) / 10
      })
    }
  }
}
