/** A request on its way to the wire: everything of it can be broken. */
export interface Draft {
  readonly method: string
  /** The target without its query, as it stands in the request line. */
  readonly path: string
  /** The query without its question mark; empty where there is none. */
  readonly query: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Uint8Array | null
  /** How the end of the body is told. */
  readonly framing: "length" | "chunks" | "as-given"
  readonly version: string
  /** What may come of it beside a documented answer. */
  readonly allows: Allowance
}

/**
 * What else a broken request may be answered with. `documented`: nothing else. `route`: it may be no operation at all, and then any error
 * that is well-formed. `transport`: it is no whole HTTP request, so that silence is right as well.
 */
export type Allowance = "documented" | "route" | "transport"

const order: ReadonlyArray<Allowance> = ["documented", "route", "transport"]

/** The wider of two allowances. */
export const widest = (one: Allowance, other: Allowance): Allowance =>
  order.indexOf(one) > order.indexOf(other) ? one : other

/**
 * What a draft allows, whoever broke it: a control character in a header, or a target of other than visible ASCII, is no HTTP, and is
 * answered before anything of the request is known.
 */
export const allowanceOf = ({ allows, headers, path, query }: Draft): Allowance =>
  /[^\x21-\x7e]/u.test(`${path}${query}`) || headers.some(([, value]) => /[^\t\x20-\x7e\x80-\xff]/u.test(value))
    ? "transport"
    : allows

/** A draft with a header in place of all others of its name. */
export const withHeader = (draft: Draft, name: string, value: string): Draft => ({
  ...draft,
  headers: [...draft.headers.filter(([known]) => known.toLowerCase() !== name), [name, value]]
})

/** A draft without a header. */
export const withoutHeader = (draft: Draft, name: string): Draft => ({
  ...draft,
  headers: draft.headers.filter(([known]) => known.toLowerCase() !== name)
})

/** The first value of a header. */
export const headerOf = (draft: Draft, name: string): string | undefined =>
  draft.headers.find(([known]) => known.toLowerCase() === name)?.[1]

const chunksOf = (body: Uint8Array): Uint8Array => {
  const middle = Math.floor(body.length / 2)
  const parts = [body.subarray(0, middle), body.subarray(middle)].filter((part) => part.length > 0)
  const chunk = (part: Uint8Array) => [
    Buffer.from(`${part.length.toString(16)}\r\n`),
    Buffer.from(part),
    Buffer.from("\r\n")
  ]
  return Buffer.concat([...parts.flatMap(chunk), Buffer.from("0\r\n\r\n")])
}

/** The bytes of a request. */
export const toBytes = ({ body, framing, headers, method, path, query, version }: Draft): Uint8Array => {
  const framed: ReadonlyArray<readonly [string, string]> =
    body === null || framing === "as-given"
      ? []
      : framing === "chunks"
        ? [["transfer-encoding", "chunked"]]
        : [["content-length", String(body.length)]]
  const target = query === "" ? path : `${path}?${query}`
  const lines = [
    `${method} ${target} ${version}`,
    ...[...headers, ...framed].map(([name, value]) => `${name}: ${value}`)
  ]
  const content = body === null ? new Uint8Array() : framing === "chunks" ? chunksOf(body) : body
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), content])
}
