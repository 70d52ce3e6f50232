import { Context } from "effect"

/**
 * The id of the request in progress; it stands in every error body and in `X-Request-Id`.
 *
 * The server provides it once per request, outside everything else. Error bodies take it when they are encoded, so
 * no handler ever passes it on.
 */
export const RequestId = Context.Reference<string>("@bursar/api/RequestId", { defaultValue: () => "" })
