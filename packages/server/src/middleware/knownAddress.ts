import { Effect, Option } from "effect"
import { type AddressRanges, clientAddress, makeDirectAddress } from "../http/clientAddress.ts"
import { errorResponse } from "../http/errorResponse.ts"
import { pathOf } from "../http/pathOf.ts"
import { type Gate, pass, type Underway } from "../http/Step.ts"

/**
 * Notes the address that the request came from. Refuses one of a trusted proxy that tells no client, or tells it in two ways:
 * every client of the proxy would else be the proxy itself. `ownPaths` may be asked for by the host of the proxy on its own
 * account, which names nobody.
 */
export const knownAddress = (
  trustedProxies: AddressRanges,
  ownPaths: { readonly has: (path: string) => boolean }
): Gate => {
  const directAddress = makeDirectAddress(trustedProxies)

  /** The address where the peer is a trusted proxy: by what it tells of the request, or its own. */
  const throughProxy = (peer: string, { headers, url }: Underway["request"]): string | undefined => {
    const { forwarded, "x-forwarded-for": forwardedFor } = headers
    const own = forwarded === undefined && forwardedFor === undefined && ownPaths.has(pathOf(url))
    return clientAddress(peer, { forwarded, forwardedFor }, own ? [] : trustedProxies)
  }

  return ({ facts, request }) => {
    const peer = Option.getOrElse(request.remoteAddress, () => "")
    const address = directAddress(peer) ?? throughProxy(peer, request)
    if (address === undefined) {
      return Effect.succeed(
        errorResponse("malformed_request", {
          requestId: facts.id,
          message: "The proxy names no client address in X-Forwarded-For or Forwarded, or two different ones."
        })
      )
    }
    facts.clientAddress = address
    return pass
  }
}
