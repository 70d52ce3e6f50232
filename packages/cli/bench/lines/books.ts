import { migrate } from "@bursar/postgres"
import { Effect, Redacted } from "effect"
import { books as measure } from "../books.ts"
import { digits, line, whole } from "../line.ts"
import { settings } from "../settings.ts"
import { type Lines, writerOn } from "./Lines.ts"

/** Exports of a whole book. */
export const books: Lines = Effect.fnUntraced(function* (server) {
  const url = yield* server.ensureDatabase("books")
  yield* migrate({ url: Redacted.make(url) })
  const legs = settings.bookLegs
  const { postings, read, written } = yield* Effect.provide(measure(url, legs), writerOn(Redacted.make(url)))
  return [
    line`${legs} legs in ${postings} postings: read in ${digits(read.seconds, 1)} s, ${whole(legs / read.seconds)} legs/s`,
    ...written.map(
      ({ bytes, cpuSeconds, format, peakMiB, seconds }) =>
        line`the same written as ${format}: ${digits(seconds / read.seconds, 2)} x the time of reading it, ${digits((1_000_000 * cpuSeconds) / legs, 1)} µs of processor a leg, ${digits(bytes / 2 ** 20, 1)} MiB, at most ${whole(peakMiB)} MiB of memory`
    )
  ]
})
