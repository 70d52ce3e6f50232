import { apiError } from "@bursar/api/errors/ApiError"
import { Signed } from "@bursar/api/middleware/Signed"
import { Effect, Layer } from "effect"

/** No signed operation is served by this release: what asks for a signature is refused, so nothing unsigned gets by. */
export const layer = Layer.succeed(
  Signed,
  Signed.of(() => Effect.fail(apiError("product_not_enabled")))
)
