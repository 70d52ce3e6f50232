import { Context } from "effect"

/** Whether the server already serves an endpoint; those it does not are marked `x-not-built` in the document. */
export const Built = Context.Reference<boolean>("@bursar/api/Built", { defaultValue: () => true })
