import type { Tenant } from "@bursar/core/tenant/Tenant"
import { Context } from "effect"

/**
 * What is known of the request in progress. Checks fill it in as they go, so that the outermost layer can log it and
 * write the headers it collected: an inner layer has no other way to reach the answer of an outer one.
 */
export interface CurrentRequestFacts {
  readonly id: string
  /** The method and path template, such as `GET /v1/float`; null until a route has matched. */
  route: string | null
  /** The tenant whose key it carries; null until the key has been accepted. */
  tenant: Tenant | null
  /** The client's address as `clientAddress` tells it; the empty text where there is no socket. */
  clientAddress: string
  /** Headers that the answer is to carry, whatever it is. */
  readonly responseHeaders: Record<string, string>
}

/** The facts of a request that has just begun. */
export const beginRequest = (id: string): CurrentRequestFacts => ({
  id,
  route: null,
  tenant: null,
  clientAddress: "",
  responseHeaders: {}
})

/** The request in progress. */
export const CurrentRequest = Context.Reference<CurrentRequestFacts>("@bursar/server/http/CurrentRequest", {
  defaultValue: () => beginRequest("")
})
