import { pathOf } from "./pathOf.ts"

/** Which paths there are, to the letter, and which methods each has. */
export interface RouteTable {
  /** The methods of the templates that a URL's path matches; none where no template does. */
  readonly methodsOf: (url: string) => ReadonlyArray<string>
  /** Whether a URL's path is one of the table's as it stands: in one spelling, as it is signed and routed. */
  readonly isExact: (url: string) => boolean
}

/** A route: its method and its path template, `/v1/swaps/{swap_id}` or `/v1/swaps/:swap_id`. */
export interface RouteTemplate {
  readonly method: string
  readonly path: string
}

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`)

const isParameter = (part: string): boolean => /^(?::\w+|\{\w+\})$/u.test(part)

/** One segment of a path as RFC 3986 has it, without the `;` that routers cut a path at. */
const parameter = "(?:[A-Za-z0-9._~!$&'()*+,=:@-]|%[0-9A-Fa-f]{2})+"

/** The escape of a character that is written as itself (RFC 3986, section 2.3): a second spelling of the same path. */
const needlessEscape = /%(?:2[DE]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])/iu

const matcherOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .split("/")
      .map((part) => (isParameter(part) ? parameter : escape(part)))
      .join("/")}$`,
    "u"
  )

interface Entry {
  readonly matcher: RegExp
  readonly methods: Set<string>
}

/** The table of some routes. */
export const makeRouteTable = (routes: Iterable<RouteTemplate>): RouteTable => {
  const plain = new Map<string, Set<string>>()
  const templates = new Map<string, Entry>()
  for (const { method, path } of routes) {
    if (path.split("/").some(isParameter)) {
      const entry = templates.get(path) ?? { matcher: matcherOf(path), methods: new Set() }
      templates.set(path, entry)
      entry.methods.add(method)
    } else plain.set(path, (plain.get(path) ?? new Set()).add(method))
  }
  const entries = [...templates.values()]
  const loweredPlain = new Set(Array.from(plain.keys(), (path) => path.toLowerCase()))

  /** The templates that a path matches. The router takes a plain path in another case for that path, not for a parameter. */
  const matching = (path: string): ReadonlyArray<Entry> =>
    needlessEscape.test(path) || (!plain.has(path) && loweredPlain.has(path.toLowerCase()))
      ? []
      : entries.filter(({ matcher }) => matcher.test(path))

  const methodsOf = (url: string): ReadonlyArray<string> => {
    const path = pathOf(url)
    const found = new Set(plain.get(path))
    for (const { methods } of matching(path)) for (const method of methods) found.add(method)
    return found.has("GET") ? [...found, "HEAD"] : [...found]
  }
  return {
    methodsOf,
    isExact: (url) => {
      const path = pathOf(url)
      return plain.has(path) || matching(path).length > 0
    }
  }
}
