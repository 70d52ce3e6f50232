import { Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { CurrentRequest } from "../http/CurrentRequest.ts"
import { type AddressRanges, clientAddress } from "../http/clientAddress.ts"
import type { HttpApp } from "./HttpApp.ts"

/** Notes the address that the request came from. */
export const knownAddress =
  (trustedProxies: AddressRanges) =>
  <E, R>(app: HttpApp<E, R>): HttpApp<E, R> =>
    Effect.gen(function* () {
      const { headers, remoteAddress } = yield* HttpServerRequest.HttpServerRequest
      const facts = yield* CurrentRequest
      facts.clientAddress = clientAddress(
        Option.getOrElse(remoteAddress, () => ""),
        headers["x-forwarded-for"],
        trustedProxies
      )
      return yield* app
    })
