import { Context } from "effect"

/** Whether an endpoint must carry an `Idempotency-Key`. */
export const NeedsIdempotencyKey = Context.Reference<boolean>("@bursar/api/NeedsIdempotencyKey", {
  defaultValue: () => false
})
