import { OperatorAuthenticated } from "@bursar/api/operator/OperatorAuthenticated"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { type Effect, Layer, ManagedRuntime } from "effect"
import { FetchHttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"
import { consoleHeader } from "@bursar/api/operator/consoleSession"

/** The operator interface as typed functions, derived from the contract. */
export type Api = HttpApiClient.ForApi<typeof OperatorApi>

/** The session's cookie is sent by the browser; the header says that the page itself asks, which no foreign page can. */
const layerSession = HttpApiMiddleware.layerClient(OperatorAuthenticated, ({ next, request }) =>
  next(HttpClientRequest.setHeader(request, consoleHeader, "1"))
)

const runtime = ManagedRuntime.make(Layer.mergeAll(FetchHttpClient.layer, layerSession))

let api: Promise<Api> | undefined

/** Asks the service. Rejects with the error of the contract, or with that of the connection. */
export const call = <A, E>(ask: (api: Api) => Effect.Effect<A, E>, signal?: AbortSignal): Promise<A> => {
  api ??= runtime.runPromise(HttpApiClient.make(OperatorApi, { baseUrl: location.origin }))
  return api.then((found) => runtime.runPromise(ask(found), signal === undefined ? {} : { signal }))
}
