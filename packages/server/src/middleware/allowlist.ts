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
  ({ clock, facts, request }) => {
    if (openPaths.has(pathOf(request.url))) return pass
    const { id: requestId } = facts
    const judged = Effect.flatMapEager(
      directory.isListed(facts.clientAddress, clock.currentTimeMillisUnsafe()),
      (listed) => (listed ? pass : Effect.succeed(errorResponse("address_not_allowed", { requestId })))
    )
    return Effect.catchEager(judged, (error) =>
      Effect.as(
        logStorageError(error),
        errorResponse(request.method === "GET" ? "provider_unavailable" : "read_only", { requestId })
      )
    )
  }
