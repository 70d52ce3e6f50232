import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpApp } from "./HttpApp.ts"

/** What every answer carries that says nothing else: it is data, for the one who asked, in no frame, and is kept nowhere. */
export const securityHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
} as const

/** Gives every answer the headers by which browsers and caches do no more with it than is meant. */
export const secured = <E, R>(app: HttpApp<E, R>): HttpApp<E, R> =>
  Effect.map(app, (response) => HttpServerResponse.setHeaders(response, { ...securityHeaders, ...response.headers }))
