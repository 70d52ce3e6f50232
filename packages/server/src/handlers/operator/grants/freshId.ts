import { RandomBytes, uuidV7 } from "@bursar/core/engine/Ids"
import { Clock, Effect } from "effect"

/** An id for something that a grant is to name. */
export const freshId = Effect.gen(function* () {
  const [now, randomBytes] = [yield* Clock.currentTimeMillis, yield* RandomBytes]
  return uuidV7(now, randomBytes(10))
})
