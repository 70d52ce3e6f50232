import type { ApiError } from "@bursar/api/errors/ApiError"
import { logStorageError, StorageError } from "@bursar/core/engine/StorageError"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { cannotRead, cannotWrite } from "../refusals.ts"

/** Answers for the storage where a check of a request of this method could not be made; nothing has been done for it yet. */
export const checkingFor = <A, E, R>(
  effect: Effect.Effect<A, E | StorageError, R>,
  method: string
): Effect.Effect<A, Exclude<E, StorageError> | ApiError, R> =>
  Effect.catchEager(
    effect,
    (error): Effect.Effect<never, Exclude<E, StorageError> | ApiError> =>
      error instanceof StorageError
        ? Effect.andThen(logStorageError(error), Effect.fail(method === "GET" ? cannotRead() : cannotWrite()))
        : Effect.fail(error as Exclude<E, StorageError>) // it is none, as was just seen
  )

/** Answers for the storage where a check of the request in progress could not be made; nothing has been done for it yet. */
export const checking = <A, E, R>(effect: Effect.Effect<A, E | StorageError, R>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method }) => checkingFor(effect, method))
