import { Context } from "effect"

/** Whether the answer of an endpoint goes on until the caller, or the service, ends it: a stream of what happens. */
export const Endless = Context.Reference<boolean>("@bursar/api/Endless", { defaultValue: () => false })
