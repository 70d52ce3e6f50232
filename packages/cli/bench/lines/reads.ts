import { Effect } from "effect"
import { digits, line, whole } from "../line.ts"
import { reads as measure } from "../reads.ts"
import { settings } from "../settings.ts"
import type { Lines } from "./Lines.ts"

/** Every read of many rows beside the same of few, on databases of their own. */
export const reads: Lines = Effect.fnUntraced(function* (server) {
  const operations = settings.readOperations
  const urls = [yield* server.ensureDatabase("reads_few"), yield* server.ensureDatabase("reads_many")] as const
  const found = yield* measure(urls, [Math.ceil(operations / 100), operations])
  return found.map(
    ({ few, many, name }) =>
      line`${name}, of ${2 * operations} legs, ${2 * operations} events, ${operations} operations: ${whole(many.pages)} pages, ${digits(many.pages / few.pages, 2)} x those of a hundredth; p50 ${digits(many.medianMs, 1)} ms, ${digits(many.medianMs / few.medianMs, 2)} x; p99 ${digits(many.p99Ms, 1)} ms`
  )
})
