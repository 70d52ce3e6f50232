import { pathOf } from "./pathOf.ts"

/** Which methods a path has. */
export interface RouteTable {
  /** The methods of the templates that a URL's path matches; none where no template does. */
  readonly methodsOf: (url: string) => ReadonlyArray<string>
}

/** A route: its method and its path template, `/v1/swaps/{swap_id}` or `/v1/swaps/:swap_id`. */
export interface RouteTemplate {
  readonly method: string
  readonly path: string
}

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`)

const matcherOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .split("/")
      .map((part) => (/^(?::\w+|\{\w+\})$/u.test(part) ? "[^/]+" : escape(part)))
      .join("/")}$`,
    "u"
  )

/** The table of some routes; asked only where the router has found nothing, so it may be slow. */
export const makeRouteTable = (routes: Iterable<RouteTemplate>): RouteTable => {
  const entries = Array.from(routes, ({ method, path }) => ({ method, matcher: matcherOf(path) }))
  return {
    methodsOf: (url) => {
      const path = pathOf(url)
      const found = new Set(entries.filter(({ matcher }) => matcher.test(path)).map(({ method }) => method))
      return found.has("GET") ? [...found, "HEAD"] : [...found]
    }
  }
}
