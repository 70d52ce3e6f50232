import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { RateLimits } from "@bursar/core/port/RateLimits"
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { checking } from "./checking.ts"
import type { HttpApp } from "../http/HttpApp.ts"
import { addressGroup } from "../http/clientAddress.ts"
import { errorResponse } from "../http/errorResponse.ts"
import { pathOf } from "../http/pathOf.ts"
import { type Gate, pass } from "../http/Step.ts"
import { originDirectives, pageFor, type PageOrigin } from "./pageOrigin.ts"

/** How many pages per minute an address is given before it is told to wait. They are large, and for anybody. */
export const pagesPerMinute = 60

/** For how long a page may be shown without being asked for again, in seconds. */
const freshSeconds = 300

interface Page {
  readonly plain: Uint8Array
  readonly zipped: Uint8Array
  readonly headers: Readonly<Record<string, string>>
  readonly etag: string
  readonly contentType: string
}

const zip = promisify(gzip)

const digest = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("base64")

/** The policy of a page: its own scripts run, by their digests, and what they ask for is the service, if anything. */
const policyOf = (html: string, origin: PageOrigin): string => {
  const scripts = Array.from(
    html.matchAll(/<script>([\s\S]*?)<\/script>/gu),
    ([, script = ""]) => `'sha256-${digest(script)}'`
  )
  return [
    "default-src 'none'",
    `script-src ${scripts.join(" ")}`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    ...originDirectives[origin],
    "worker-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")
}

const pageOf = (bytes: Uint8Array, contentType: string, origin: PageOrigin): Effect.Effect<Page> => {
  const html = contentType.startsWith("text/html") ? pageFor(origin, new TextDecoder().decode(bytes)) : undefined
  const plain = html === undefined ? bytes : new TextEncoder().encode(html)
  return Effect.map(
    Effect.promise(() => zip(plain)),
    (zipped) => ({
      plain,
      zipped,
      etag: `"${digest(plain).slice(0, 22)}"`,
      contentType,
      headers: {
        "cache-control": `public, max-age=${freshSeconds}`,
        vary: "accept-encoding",
        ...(html !== undefined && { "content-security-policy": policyOf(html, origin) })
      }
    })
  )
}

/** Whether one of the tags of `If-None-Match` is this one; they are compared weakly (RFC 9110, section 13.1.2). */
const isKnown = (header: string | undefined, etag: string): boolean =>
  header?.split(",").some((tag) => tag.trim().replace(/^W\//u, "") === etag || tag.trim() === "*") ?? false

const takesGzip = (header: string | undefined): boolean =>
  header?.split(",").some((coding) => /^\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/iu.test(coding)) ?? false

/**
 * Gives out the pages of some paths: made once by the app, then kept with their digest and compressed, and counted for the
 * address that asks for them. Every other path is left alone.
 */
export const staticPages = Effect.map(RateLimits, (rates) => (paths: ReadonlySet<string>, origin: PageOrigin) => {
  const pages = new Map<string, Page>()
  return <E, R>(app: HttpApp<E, R>): Gate<E, R | HttpServerRequest.HttpServerRequest> =>
    ({ clock, facts: { clientAddress, id: requestId }, request: { headers, method, url } }) => {
      const path = pathOf(url)
      if (!paths.has(path) || (method !== "GET" && method !== "HEAD")) return pass
      return Effect.gen(function* () {
        const window = { subject: `page:${addressGroup(clientAddress)}`, limit: pagesPerMinute }
        const decision = yield* Effect.result(checking(rates.take([window], clock.currentTimeMillisUnsafe())))
        if (decision._tag === "Failure") return errorResponse("provider_unavailable", { requestId })
        if (decision.success._tag === "Denied") {
          const { limit, retryAfterSeconds } = decision.success
          return errorResponse("rate_limited", { requestId, retryAfterSeconds, detail: { limit_per_minute: limit } })
        }
        let page = pages.get(path)
        if (page === undefined) {
          const { body, status } = yield* app
          if (body._tag !== "Uint8Array" || status !== 200) return yield* Effect.die(new Error(`${path} is no page`))
          page = yield* pageOf(body.body, body.contentType, origin)
          pages.set(path, page)
        }
        const { contentType, etag, plain, zipped } = page
        if (isKnown(headers["if-none-match"], etag))
          return HttpServerResponse.empty({ status: 304, headers: { ...page.headers, etag } })
        return takesGzip(headers["accept-encoding"])
          ? HttpServerResponse.uint8Array(zipped, {
              contentType,
              // the bytes differ by their coding, so their tag does: weak, it stands for both
              headers: { ...page.headers, etag: `W/${etag}`, "content-encoding": "gzip" }
            })
          : HttpServerResponse.uint8Array(plain, { contentType, headers: { ...page.headers, etag } })
      })
    }
})
