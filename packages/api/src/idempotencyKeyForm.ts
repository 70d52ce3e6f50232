import { Limits } from "./Limits.ts"

const [any, noDot, rest] = ["[A-Za-z0-9._~:-]", "[A-Za-z0-9_~:-]", Limits.idempotencyKeyLengthMax - 1]

/**
 * What an idempotency key is, as a regular expression: characters that stand in a URL as they are. Neither `.` nor `..`, which
 * every client takes out of a path, so that nobody could look such a key up.
 */
export const idempotencyKeyForm = `(?:${noDot}${any}{0,${rest}}|\\.(?:${noDot}${any}{0,${rest - 1}}|\\.${any}{1,${rest - 1}}))`
