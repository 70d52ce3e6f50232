import { Effect } from "effect"
import { checker as measure } from "../checker.ts"
import { digits, line, whole } from "../line.ts"
import { settings } from "../settings.ts"
import type { Lines } from "./Lines.ts"

/** The checker over many operations and over a tenth of them. */
export const checker: Lines = Effect.fnUntraced(function* (server) {
  const operations = settings.checkedOperations
  const few = yield* measure(yield* server.ensureDatabase("checked_few"), Math.ceil(operations / 10))
  const many = yield* measure(yield* server.ensureDatabase("checked_many"), operations)
  const micros = ({ cpuSeconds, operations: count }: typeof few) => (1_000_000 * cpuSeconds) / count
  return [
    line`${many.operations} operations with their legs, events and deposits checked in ${digits(many.seconds, 1)} s: ${digits(micros(many), 1)} µs of processor an operation, ${digits(micros(many) / micros(few), 2)} x that of ${few.operations}; at most ${whole(many.peakMiB)} MiB of memory, ${whole(few.peakMiB)} MiB for ${few.operations}`
  ]
})
