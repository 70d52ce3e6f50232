import { Effect, Option, Pull, Stream } from "effect"
import type { StorageError } from "../engine/StorageError.ts"
import type { Filed, SubjectRange } from "./subjects.ts"

/** All that is filed under the subjects of a range. */
export interface Segment {
  readonly range: SubjectRange
  readonly rows: ReadonlyArray<Filed>
}

/** A stream of which some has been read and not yet handed on. */
interface Waiting {
  readonly next: Effect.Effect<ReadonlyArray<Filed> | undefined, StorageError>
  rows: Array<Filed>
  ended: boolean
}

const pulled = Effect.fnUntraced(function* (stream: Stream.Stream<Filed, StorageError>) {
  const pull = yield* Stream.toPull(stream)
  const waiting: Waiting = {
    next: Pull.catchDone(pull, () => Effect.succeed(undefined)),
    rows: [],
    ended: false
  }
  return waiting
})

const readMore = Effect.fnUntraced(function* (waiting: Waiting) {
  const rows = yield* waiting.next
  if (rows === undefined) waiting.ended = true
  else waiting.rows.push(...rows)
})

const least = (subjects: ReadonlyArray<string>): string | null =>
  subjects.reduce<string | null>((low, one) => (low === null || one < low ? one : low), null)

/** Takes what is below a subject off the front; everything where that is null. */
const takeBelow = (waiting: Waiting, to: string | null): ReadonlyArray<Filed> => {
  const end = to === null ? -1 : waiting.rows.findIndex(({ subject }) => subject >= to)
  return waiting.rows.splice(0, end < 0 ? waiting.rows.length : end)
}

/** What of all streams is below the least subject of which more may follow. Streams that end read no further. */
const nextSegment = Effect.fnUntraced(function* (all: ReadonlyArray<Waiting>, from: string, last: string | null) {
  for (const one of all) if (one.rows.length === 0 && !one.ended) yield* readMore(one)
  while (true) {
    const open = all.filter(({ ended }) => !ended)
    const to = least(open.flatMap(({ rows }) => rows.at(-1)?.subject ?? []))
    // one subject alone fills what was read: it is not cut
    if (to !== null && to <= from) for (const one of open) if (one.rows.at(-1)?.subject === to) yield* readMore(one)
    if (to === null || to > from) {
      const rows = all.flatMap((one) => takeBelow(one, to))
      const segment: Segment = { range: { from, to: to ?? last }, rows }
      return [[segment], Option.fromNullishOr(to)] as const
    }
  }
})

/**
 * Merges streams that are each in the order of their subjects, and cuts what they hold into segments of whole subjects. The segments follow each other
 * without a gap from the beginning of the range to its end, so no subject is in none and none is in two. What is held at a time is what
 * one read of each stream gave, and all that is filed under one subject.
 */
export const segments = (
  streams: ReadonlyArray<Stream.Stream<Filed, StorageError>>,
  { from, to }: SubjectRange
): Stream.Stream<Segment, StorageError> =>
  Stream.unwrap(
    Effect.map(Effect.forEach(streams, pulled), (all) =>
      Stream.paginate(from, (next: string) => nextSegment(all, next, to))
    )
  )
