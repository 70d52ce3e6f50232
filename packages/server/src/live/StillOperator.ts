import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import type { Operator } from "@bursar/api/operator/Operator"
import { Context, Effect } from "effect"

/** Finds out once more who the credential of the request in progress is of: for what goes on after its answer has begun. */
export const StillOperator = Context.Reference<Effect.Effect<Operator["Service"], ApiError>>(
  "@bursar/server/live/StillOperator",
  { defaultValue: () => Effect.fail(apiError("key_missing")) }
)
