import { logStorageError, type StorageError } from "@bursar/core/engine/StorageError"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { cannotRead, cannotWrite } from "../refusals.ts"

/** Answers for the storage where a check could not be made; nothing has been done for the request yet. */
export const checking = <A, R>(effect: Effect.Effect<A, StorageError, R>) =>
  Effect.catchTag(effect, "StorageError", (error) =>
    Effect.gen(function* () {
      yield* logStorageError(error)
      const { method } = yield* HttpServerRequest.HttpServerRequest
      return yield* method === "GET" ? cannotRead() : cannotWrite()
    })
  )
