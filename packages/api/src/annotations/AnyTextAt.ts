import { Context } from "effect"

/**
 * Where in a body an endpoint takes texts that hold a NUL, since it judges them item by item: a pattern of paths such as
 * `body.addresses.3.address`. Null where a NUL refuses the whole body.
 */
export const AnyTextAt = Context.Reference<RegExp | null>("@bursar/api/AnyTextAt", { defaultValue: () => null })
