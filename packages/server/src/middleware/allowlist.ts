import { logStorageError } from "@bursar/core/engine/StorageError"
import { Effect } from "effect"
import { errorResponse } from "../http/errorResponse.ts"
import { pathOf } from "../http/pathOf.ts"
import type { Directory } from "../keys/Directory.ts"
import { type Gate, pass } from "../http/Step.ts"

/**
 * Refuses, before its key is read, a request from an address that no tenant lists. `openPaths` are answered to anybody.
 * What cannot be looked up is not let in.
 */
export const allowlist =
  (directory: Directory["Service"], openPaths: ReadonlySet<string>): Gate =>
  ({ clock, facts: { clientAddress, id: requestId }, request: { method, url } }) => {
    if (openPaths.has(pathOf(url))) return pass
    const judged = Effect.flatMapEager(directory.isListed(clientAddress, clock.currentTimeMillisUnsafe()), (listed) =>
      listed ? pass : Effect.succeed(errorResponse("address_not_allowed", { requestId }))
    )
    return Effect.catchEager(judged, (error) =>
      Effect.as(
        logStorageError(error),
        errorResponse(method === "GET" ? "provider_unavailable" : "read_only", { requestId })
      )
    )
  }
