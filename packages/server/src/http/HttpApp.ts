import type { Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"

/** What answers a request. The checks of this folder that are not bound to an endpoint are functions between these. */
export type HttpApp<E, R = never> = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E,
  R | HttpServerRequest.HttpServerRequest
>
