import type { PartnerApi } from "@bursar/api/PartnerApi"
import type { HttpApi, HttpApiClient, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { pagers } from "../page/pagers.ts"

/** What is told of an answer besides its body. */
export interface AnswerFacts {
  readonly status: number
  /** The `X-Request-Id`, by which the operators find the request. */
  readonly requestId: string | null
  /** Whether this is the answer that the same call got before, under the same idempotency key. */
  readonly replayed: boolean
  readonly headers: Headers
}

/** What any call may be given. */
export interface CallOptions {
  /** Ends the call, its waiting and its retries. It then rejects with the code `aborted`. */
  readonly signal?: AbortSignal | undefined
  /** How long one attempt may take, in milliseconds, instead of the client's own. */
  readonly timeoutMs?: number | undefined
  /** The `X-Request-Id` to send: at most 128 visible ASCII characters. */
  readonly requestId?: string | undefined
  /** Is told of the answer of a call that succeeds, before it does. */
  readonly onAnswer?: ((answer: AnswerFacts) => void) | undefined
}

/** What a call may be given that changes something once. */
export interface IdempotentCallOptions extends CallOptions {
  /**
   * The name of this change. Whatever is asked for under a key happens once. Made for the call where none is given; give
   * one that you have stored where the change must not happen twice although your process dies.
   */
  readonly idempotencyKey?: string | undefined
}

type IdOf<Params> = [Params] extends [never] ? [] : [id: string]

type InputOf<Query, Payload> = [Payload] extends [never]
  ? [Query] extends [never]
    ? []
    : {} extends Query
      ? [query?: Query]
      : [query: Query]
  : [body: Payload]

type OptionsOf<Headers> = [Headers] extends [never]
  ? CallOptions
  : "idempotency-key" extends keyof Headers
    ? IdempotentCallOptions
    : CallOptions

// Written out here, and under no name of its own, so that an editor shows the parameters and not the endpoint.
type GroupCalls<Endpoints> = {
  readonly [Name in keyof Endpoints]: Endpoints[Name] extends infer E extends HttpApiEndpoint.ConstraintRequest
    ? (
        ...parameters: [
          ...IdOf<E["~Params"]["Type"]>,
          ...InputOf<E["~Query"]["Type"], E["~Payload"]["Type"]>,
          options?: OptionsOf<E["~Headers"]["Type"]>
        ]
      ) => Promise<HttpApiClient.SuccessType<E["~Success"]>>
    : never
}

type CallsOf<Api> =
  Api extends HttpApi.HttpApi<infer _Id, infer Groups>
    ? { readonly [Group in Groups as HttpApiGroup.Identifier<Group>]: GroupCalls<Group["endpoints"]> }
    : never

/** Every endpoint of the contract as a function: the id in its path, then its body or query, then its options. */
export type Calls = CallsOf<typeof PartnerApi>

type Pagers = typeof pagers

/** The pages of a list, turned. */
export interface Each<Resource extends keyof Pagers> {
  /** Every item from the query's position on; a page is asked for when it is needed, `limit` items at once. */
  readonly each: (
    query?: Parameters<Calls[Resource]["list"]>[0],
    options?: Omit<CallOptions, "onAnswer">
  ) => AsyncIterable<ReturnType<Pagers[Resource]["items"]>[number]>
}

/** A client: every endpoint of the contract as a function, by resource, and `each` where a list has pages. */
export type Client = {
  readonly [Resource in keyof Calls]: Calls[Resource] & (Resource extends keyof Pagers ? Each<Resource> : unknown)
}
