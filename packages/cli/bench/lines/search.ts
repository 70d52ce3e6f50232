import { Effect } from "effect"
import { digits, line } from "../line.ts"
import { search as measure } from "../search.ts"
import { settings } from "../settings.ts"
import type { Lines } from "./Lines.ts"

/** Searches of operators among many operations. */
export const search: Lines = Effect.fnUntraced(function* (server) {
  const found = yield* measure(yield* server.ensureDatabase("search"), settings.searchedOperations)
  return found.map(
    ({ by, medianMs, p95Ms }) =>
      line`a search by ${by} among ${settings.searchedOperations} operations: p50 ${digits(medianMs, 1)} ms, p95 ${digits(p95Ms, 1)} ms`
  )
})
