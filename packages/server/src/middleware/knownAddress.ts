import { Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { CurrentRequest } from "../http/CurrentRequest.ts"
import { type AddressRanges, clientAddress } from "../http/clientAddress.ts"
import { errorResponse } from "../http/errorResponse.ts"
import { pathOf } from "../http/pathOf.ts"
import type { HttpApp } from "../http/HttpApp.ts"

/**
 * Notes the address that the request came from. Refuses one of a trusted proxy that tells no client, or tells it in two ways:
 * every client of the proxy would else be the proxy itself. `ownPaths` may be asked for by the host of the proxy on its own
 * account, which names nobody.
 */
export const knownAddress =
  (trustedProxies: AddressRanges, ownPaths: { readonly has: (path: string) => boolean }) =>
  <E, R>(app: HttpApp<E, R>): HttpApp<E, R> =>
    Effect.gen(function* () {
      const { headers, remoteAddress, url } = yield* HttpServerRequest.HttpServerRequest
      const facts = yield* CurrentRequest
      const peer = Option.getOrElse(remoteAddress, () => "")
      const { forwarded, "x-forwarded-for": forwardedFor } = headers
      const own = forwarded === undefined && forwardedFor === undefined && ownPaths.has(pathOf(url))
      const address = clientAddress(peer, { forwarded, forwardedFor }, own ? [] : trustedProxies)
      if (address === undefined) {
        return errorResponse("malformed_request", {
          requestId: facts.id,
          message: "The proxy names no client address in X-Forwarded-For or Forwarded, or two different ones."
        })
      }
      facts.clientAddress = address
      return yield* app
    })
