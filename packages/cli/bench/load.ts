import autocannon, { type Options, type Request } from "autocannon"

/** What the load generator is told, as JSON in its first argument. */
export interface Load {
  readonly url: string
  readonly seconds: number
  readonly connections: number
  readonly headers?: Record<string, string>
  /** A POST with this body, under a new idempotency key each; a GET without. */
  readonly body?: string
}

/** What it prints, as JSON. */
export interface LoadResult {
  readonly perSecond: number
  readonly failed: number
}

// A process of its own, so that it takes no time from the server's event loop.
if (import.meta.main) {
  const { body, connections, headers = {}, seconds, url }: Load = JSON.parse(process.argv[2] ?? "")
  const withKey = (request: Request): Request => ({
    ...request,
    headers: { ...headers, "content-type": "application/json", "idempotency-key": crypto.randomUUID() }
  })
  const options: Options = {
    url,
    connections,
    duration: seconds,
    headers,
    ...(body === undefined ? {} : { method: "POST", body, requests: [{ setupRequest: withKey }] })
  }
  const { errors, non2xx, requests } = await autocannon(options)
  const result: LoadResult = { perSecond: requests.average, failed: errors + non2xx }
  process.stdout.write(JSON.stringify(result))
}
