import { apiError, type ApiErrorOf } from "@bursar/api/errors/ApiError"
import { Effect } from "effect"

/** The handler of an endpoint that this release does not serve. The scope check refuses such requests before it is reached. */
export const notServed = (): Effect.Effect<never, ApiErrorOf<"product_not_enabled">> =>
  Effect.fail(apiError("product_not_enabled"))
