import { Context } from "effect"

/** Whether an endpoint's requests must be signed (RFC 9421). */
export const NeedsSignature = Context.Reference<boolean>("@bursar/api/NeedsSignature", { defaultValue: () => false })
