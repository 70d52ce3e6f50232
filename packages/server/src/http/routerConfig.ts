import { Limits } from "@bursar/api/Limits"

/** Path parameters may be as long as an idempotency key in quotes, every character escaped. */
export const routerConfig = { maxParamLength: 3 * (Limits.idempotencyKeyLengthMax + 2) }
