import { NeedsIdempotencyKey } from "@bursar/api/annotations/NeedsIdempotencyKey"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { Context, Effect, Schema } from "effect"
import { HttpClientError, type HttpClientResponse } from "effect/http"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"

/** The header that names a change. */
export const keyHeader = "idempotency-key"

/** Whether the service carries an operation out once for each key. */
export const needsKey = (endpoint: HttpApiEndpoint.Top): boolean =>
  Context.get(endpoint.annotations, NeedsIdempotencyKey)

/** Where a call keeps the answer that it reads, so that one that cannot be read is told of with its request. */
export const AnswerRead = Context.Reference<{ response: HttpClientResponse.HttpClientResponse | undefined }>(
  "@bursar/client/AnswerRead",
  { defaultValue: () => ({ response: undefined }) }
)

interface Request {
  readonly headers?: Readonly<Record<string, string>>
}

type Call = (request: Request) => Effect.Effect<unknown, unknown, unknown>

type Calls = Readonly<Record<string, Readonly<Record<string, Call>>>>

/** The failure of an answer that breaks the contract: its request has the key under which the change may have been made. */
const unreadable = (response: HttpClientResponse.HttpClientResponse, cause: Schema.SchemaError) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.DecodeError({
      request: response.request,
      response,
      cause,
      description: "the answer breaks the contract of this version of the client"
    })
  })

/**
 * The call under a key that is made when it is called, and not when its effect runs: an effect that runs again, as under
 * `Effect.retry`, asks for the same change.
 */
const keyed =
  (call: Call): Call =>
  (request) => {
    const headers = { ...request.headers, [keyHeader]: request.headers?.[keyHeader] ?? crypto.randomUUID() }
    const run = call({ ...request, headers })
    return Effect.suspend(() => {
      const read: (typeof AnswerRead)["Service"] = { response: undefined }
      return run.pipe(
        Effect.provideService(AnswerRead, read),
        Effect.mapError((error) =>
          read.response !== undefined && Schema.isSchemaError(error) ? unreadable(read.response, error) : error
        )
      )
    })
  }

/** A client of the partner interface whose operations that need an idempotency key have one, given or made for the call. */
export const keyedCalls = <Client extends object>(client: Client): Client => {
  // The shape of the derived client is that of the contract.
  const calls: Record<string, Readonly<Record<string, Call>>> = { ...(client as unknown as Calls) }
  HttpApi.reflect(PartnerApi, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, group }) => {
      const call = calls[group.identifier]?.[endpoint.identifier]
      if (call !== undefined && needsKey(endpoint))
        calls[group.identifier] = { ...calls[group.identifier], [endpoint.identifier]: keyed(call) }
    }
  })
  // The same calls, of the same types.
  return calls as unknown as Client
}
