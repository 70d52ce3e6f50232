import { logStorageError } from "@bursar/core/engine/StorageError"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { CurrentRequest } from "../http/CurrentRequest.ts"
import { errorResponse } from "../http/errorResponse.ts"
import { pathOf } from "../http/pathOf.ts"
import type { Directory } from "../keys/Directory.ts"
import type { HttpApp } from "../http/HttpApp.ts"

/**
 * Refuses, before its key is read, a request from an address that no tenant lists. `openPaths` are answered to anybody.
 * What cannot be looked up is not let in.
 */
export const allowlist =
  (directory: Directory["Service"], openPaths: ReadonlySet<string>) =>
  <E, R>(app: HttpApp<E, R>): HttpApp<E, R> =>
    Effect.gen(function* () {
      const { method, url } = yield* HttpServerRequest.HttpServerRequest
      if (openPaths.has(pathOf(url))) return yield* app
      const { clientAddress, id } = yield* CurrentRequest
      return yield* Effect.matchEffect(directory.isListed(clientAddress), {
        onFailure: (error) =>
          Effect.as(
            logStorageError(error),
            errorResponse(method === "GET" ? "provider_unavailable" : "read_only", { requestId: id })
          ),
        onSuccess: (listed) => (listed ? app : Effect.succeed(errorResponse("address_not_allowed", { requestId: id })))
      })
    })
