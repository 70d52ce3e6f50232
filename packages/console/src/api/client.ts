import { OperatorAuthenticated } from "@bursar/api/operator/OperatorAuthenticated"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { Context, Effect, Layer, ManagedRuntime, Schema } from "effect"
import { FetchHttpClient, type HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"
import { consoleHeader, shownHeader } from "@bursar/api/operator/consoleSession"
import { UnreadableAnswer } from "./UnreadableAnswer.ts"

/** The operator interface as typed functions, derived from the contract. */
export type Api = HttpApiClient.ForApi<typeof OperatorApi>

let shown: string | undefined

/** Has the service do what the page asks for only while this operator is signed in: who the page says it is. */
export const askAs = (operator: string): void => {
  shown = operator
}

/** Whom the page showed when something was asked for: what waits for a device meanwhile is done under no later name. */
const AskedAs = Context.Reference<string | undefined>("@bursar/console/AskedAs", { defaultValue: () => undefined })

/**
 * The session's cookie is sent by the browser, whoever has signed in in another window of it. The headers say that the page itself asks, which
 * no foreign page can, and whom it showed.
 */
const layerSession = HttpApiMiddleware.layerClient(OperatorAuthenticated, ({ next, request }) =>
  Effect.flatMap(AskedAs, (operator) => {
    const own = HttpClientRequest.setHeader(request, consoleHeader, "1")
    return next(operator === undefined ? own : HttpClientRequest.setHeader(own, shownHeader, operator))
  })
)

const runtime = ManagedRuntime.make(Layer.mergeAll(FetchHttpClient.layer, layerSession))

/** The functions for the service at an address. What breaks the contract fails them with a `SchemaError` where it is what they were given. */
export const clientAt = (
  baseUrl: string
): Effect.Effect<Api, never, HttpClient.HttpClient | HttpApiMiddleware.ForClient<OperatorAuthenticated>> =>
  HttpApiClient.make(OperatorApi, {
    baseUrl,
    transformResponse: (answer) =>
      Effect.mapError(answer, (error) => (Schema.isSchemaError(error) ? new UnreadableAnswer() : error))
  })

let api: Promise<Api> | undefined

/** Asks the service. Rejects with the error of the contract, or with that of the connection. */
export const call = <A, E>(ask: (api: Api) => Effect.Effect<A, E>, signal?: AbortSignal): Promise<A> => {
  api ??= runtime.runPromise(clientAt(location.origin))
  const asked = Effect.provideService(AskedAs, shown)
  return api.then((found) => runtime.runPromise(asked(ask(found)), signal === undefined ? {} : { signal }))
}
