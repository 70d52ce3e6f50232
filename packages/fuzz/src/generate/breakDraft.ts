import type { Random } from "@bursar/simulation/kernel/Random"
import { type Allowance, type Draft, headerOf, widest, withHeader, withoutHeader } from "./Draft.ts"

/** A way to break a request: what it is called, what it allows the service beside a documented answer, and how it is done. */
interface Breaker {
  readonly allows: Allowance
  readonly apply: (draft: Draft, random: Random) => Draft
}

const documented = (apply: Breaker["apply"]): Breaker => ({ allows: "documented", apply })
const route = (apply: Breaker["apply"]): Breaker => ({ allows: "route", apply })
const transport = (apply: Breaker["apply"]): Breaker => ({ allows: "transport", apply })

const odd = [
  ...["%00", "%ff", "%c0%af", "%zz", "%", "a%20b", "..", ".", "%2e%2e", "%2f", "%5c", ";x=1", "é", "\u0080", "*", "@"],
  ...["__proto__", "constructor", "null", "undefined", "0", "-1", "1e999", "NaN", "x".repeat(300), "'", '"', "<script>"]
] as const

const oddQueryValues = [
  ...[
    "",
    "0",
    "-1",
    "1.5",
    "1e3",
    "01",
    "+1",
    "%2b1",
    "9007199254740993",
    "99999999999999999999",
    "null",
    "true,false"
  ],
  ...[
    "%00",
    "%ff",
    "%ed%a0%80",
    "%zz",
    "%",
    "a+b",
    "%20",
    "x".repeat(5_000),
    "é",
    "2020-13-01T00:00:00Z",
    "0x10",
    "[]"
  ],
  ...["__proto__", "toString", "2020-02-30T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "-271821-04-20T00:00:00Z"]
] as const

const segmentOf = (path: string, random: Random): number => 1 + random.below(Math.max(1, path.split("/").length - 1))

const replaceSegment = (path: string, at: number, text: string): string =>
  path
    .split("/")
    .map((part, index) => (index === at ? text : part))
    .join("/")

const add = (query: string, pair: string): string => (query === "" ? pair : `${query}&${pair}`)

const keyOf = (draft: Draft): string => (headerOf(draft, "authorization") ?? "").replace("Bearer ", "")

/** What is broken of a request whatever it asks for. */
const breakers: Readonly<Record<string, Breaker>> = {
  // key
  "no key": documented((draft) => withoutHeader(draft, "authorization")),
  "a key of junk": documented((draft, random) =>
    withHeader(draft, "authorization", random.pick(["Bearer x", "Bearer ", "Basic YTpi", "Bearer a b", "bearer", ""]))
  ),
  "a key with another end": documented((draft, random) =>
    withHeader(draft, "authorization", `Bearer ${keyOf(draft).slice(0, -1 - random.below(6))}A`)
  ),
  "a key twice": documented((draft) => ({
    ...draft,
    headers: [...draft.headers, ["authorization", `Bearer ${keyOf(draft)}`]]
  })),
  "a key in another case": documented((draft) => withHeader(draft, "authorization", `bEaReR ${keyOf(draft)}`)),
  // idempotency
  "no idempotency key": documented((draft) => withoutHeader(draft, "idempotency-key")),
  "an odd idempotency key": documented((draft, random) =>
    withHeader(
      draft,
      "idempotency-key",
      random.pick(["", " ", "a b", '""', '"a', "é", "x".repeat(256), "a,b", "__proto__", "\u0001", '"quoted"'])
    )
  ),
  "two idempotency keys": documented((draft) => ({
    ...draft,
    headers: [...draft.headers, ["idempotency-key", "other"]]
  })),
  // headers
  "an odd type": documented((draft, random) =>
    withHeader(
      draft,
      "content-type",
      random.pick([
        ...(["text/plain", "application/json; charset=utf-16", "application/JSON", "multipart/form-data", ""] as const),
        ...([
          "application/json;charset=utf-8",
          "application/x-www-form-urlencoded",
          "application/json, text/plain"
        ] as const)
      ])
    )
  ),
  "no type": documented((draft) => withoutHeader(draft, "content-type")),
  "an odd encoding": documented((draft, random) =>
    withHeader(draft, "content-encoding", random.pick(["gzip", "br", "identity", "x"]))
  ),
  "an odd accept": documented((draft, random) =>
    withHeader(draft, "accept", random.pick(["text/html", "*/*;q=0", "", "image/*", "application/xml"]))
  ),
  "an odd request id": documented((draft, random) =>
    withHeader(
      draft,
      "x-request-id",
      random.pick(["", "x".repeat(129), "a b", "é", "\u0001", '"', "a\tb", "__proto__"])
    )
  ),
  "a forwarded address": documented((draft, random) =>
    withHeader(draft, random.pick(["x-forwarded-for", "forwarded"]), random.pick(["1.2.3.4", "for=1.2.3.4", ",", "x"]))
  ),
  "an overriding method": documented((draft) => withHeader(draft, "x-http-method-override", "DELETE")),
  "a trace": documented((draft, random) =>
    withHeader(draft, random.pick(["traceparent", "b3"]), random.pick(["x", "00-0-0-00", "0".repeat(500)]))
  ),
  "many headers": transport((draft, random) => ({
    ...draft,
    headers: [
      ...draft.headers,
      ...Array.from({ length: random.pick([50, 500, 3_000]) }, (_, index) => [`x-${index}`, "y"] as const)
    ]
  })),
  "a large header": transport((draft, random) =>
    withHeader(draft, "x-large", "y".repeat(random.pick([4_000, 20_000, 100_000])))
  ),
  "a control character": transport((draft, random) =>
    withHeader(draft, "x-odd", `a${random.pick(["\u0000", "\n", "\r", "\u007f"])}b`)
  ),
  "a folded header": transport((draft) => withHeader(draft, "x-folded", "a\r\n b")),
  "an odd header name": transport((draft, random) => ({
    ...draft,
    headers: [...draft.headers, [random.pick(["x y", "", "é", "x:", "__proto__", "constructor"]), "y"]]
  })),
  // route
  "another method": route((draft, random) => ({
    ...draft,
    method: random.pick(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND"])
  })),
  "no method": transport((draft, random) => ({
    ...draft,
    method: random.pick(["FOO", "get", "", "GET\u0000", "CONNECT"])
  })),
  "an odd part of the path": route((draft, random) => ({
    ...draft,
    path: replaceSegment(draft.path, segmentOf(draft.path, random), random.pick(odd))
  })),
  "a part of the path in another case": route((draft, random) => {
    const at = segmentOf(draft.path, random)
    return { ...draft, path: replaceSegment(draft.path, at, (draft.path.split("/")[at] ?? "").toUpperCase()) }
  }),
  "a letter of the path escaped": route((draft, random) => {
    const at = 1 + random.below(Math.max(1, draft.path.length - 1))
    const code = draft.path.charCodeAt(at).toString(16).padStart(2, "0")
    return { ...draft, path: `${draft.path.slice(0, at)}%${code}${draft.path.slice(at + 1)}` }
  }),
  "a slash too many": route((draft, random) => ({
    ...draft,
    path: random.pick([`${draft.path}/`, `/${draft.path}`, draft.path.replace("/v1/", "/v1//"), `${draft.path}/.`])
  })),
  "a whole URL": route((draft, random) => ({
    ...draft,
    path: `${random.pick(["http://localhost", "https://x"])}${draft.path}`
  })),
  "a fragment": route((draft) => ({ ...draft, path: `${draft.path}#x` })),
  // query
  "an unknown parameter": documented((draft, random) => ({
    ...draft,
    query: add(draft.query, `${random.pick(["x", "__proto__", "constructor", "limit%00"])}=1`)
  })),
  "a parameter twice": documented((draft, random) => {
    const name = draft.query.split("=")[0] ?? ""
    return { ...draft, query: add(draft.query, `${name === "" ? "limit" : name}=${random.pick(oddQueryValues)}`) }
  }),
  "an odd parameter": documented((draft, random) => ({
    ...draft,
    query: `${draft.query.split("=")[0] ?? ""}=${random.pick(oddQueryValues)}`
  })),
  "an odd limit": documented((draft, random) => ({
    ...draft,
    query: add(
      draft.query,
      `${random.pick(["limit", "after", "limit[]", "limit[a]", "since", "status"])}=${random.pick(oddQueryValues)}`
    )
  })),
  "no query": documented((draft, random) => ({
    ...draft,
    query: random.pick(["&&&", "=", "?", "a", "%", "=&=", "limit"])
  })),
  "a long query": transport((draft, random) => ({
    ...draft,
    query: `x=${"y".repeat(random.pick([2_000, 12_000, 60_000]))}`
  })),
  // framing
  "in chunks": documented((draft) => ({ ...draft, framing: "chunks" })),
  "a body where there is none": documented((draft) => ({ ...draft, body: draft.body ?? Buffer.from('{"a":1}') })),
  "a length too long": transport((draft) => ({
    ...draft,
    framing: "as-given",
    headers: [...draft.headers, ["content-length", String((draft.body?.length ?? 0) + 10)]]
  })),
  "a length too short": transport((draft) => ({
    ...draft,
    framing: "as-given",
    headers: [...draft.headers, ["content-length", String(Math.max(0, (draft.body?.length ?? 0) - 5))]]
  })),
  "a length that is none": transport((draft, random) => ({
    ...draft,
    framing: "as-given",
    headers: [...draft.headers, ["content-length", random.pick(["-1", "x", "1e3", "99999999999999999999", "0x10", ""])]]
  })),
  "two lengths": transport((draft) => ({
    ...draft,
    framing: "as-given",
    headers: [...draft.headers, ["content-length", "3"], ["content-length", String(draft.body?.length ?? 0)]]
  })),
  "a length and chunks": transport((draft) => ({
    ...draft,
    framing: "chunks",
    headers: [...draft.headers, ["content-length", "3"]]
  })),
  "an unknown framing": transport((draft, random) => ({
    ...draft,
    framing: "as-given",
    headers: [...draft.headers, ["transfer-encoding", random.pick(["gzip", "chunked, gzip", "xchunked", "identity"])]]
  })),
  "chunks that are none": transport((draft) => ({
    ...draft,
    framing: "as-given",
    headers: [...draft.headers, ["transfer-encoding", "chunked"]]
  })),
  "an expectation": transport((draft, random) => withHeader(draft, "expect", random.pick(["100-continue", "x"]))),
  "an upgrade": transport((draft) =>
    withHeader(withHeader(draft, "upgrade", "h2c"), "connection", "Upgrade, HTTP2-Settings")
  ),
  "no host": transport((draft) => withoutHeader(draft, "host")),
  "two hosts": transport((draft) => ({ ...draft, headers: [...draft.headers, ["host", "x"]] })),
  "another version": transport((draft, random) => ({
    ...draft,
    version: random.pick(["HTTP/1.0", "HTTP/2.0", "HTTP/0.9", "HTTP/1.1 "])
  }))
}

const names = Object.keys(breakers)

/** A request of which one thing is broken, and what that is. */
export const breakDraft = (draft: Draft, random: Random): { readonly what: string; readonly draft: Draft } => {
  const what = names[random.below(names.length)] ?? ""
  const breaker = breakers[what]
  if (breaker === undefined) return { what, draft }
  return { what, draft: { ...breaker.apply(draft, random), allows: widest(draft.allows, breaker.allows) } }
}
