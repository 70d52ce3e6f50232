import { assert, describe, it } from "@effect/vitest"
import { Effect, Random, Stream } from "effect"
import { type Segment, segments } from "../../src/checker/segments.ts"
import type { Filed } from "../../src/checker/subjects.ts"

const filed = (subject: string, at: number): Filed =>
  ({
    kind: "job",
    subject,
    // what a row holds is nothing to what merges it
    row: { key: subject, queue: String(at) } as Filed["row"] & { key: string; queue: string },
    beside: false,
    digest: null
  }) as Filed

/** Streams of rows under random subjects, each in order and read so many at a time, that count what was read. */
const randomStreams = Effect.fnUntraced(function* (streams: number, rowsPerRead: number) {
  const read = { rows: 0 }
  let at = 0
  const all = yield* Effect.replicateEffect(
    Effect.gen(function* () {
      const subjects = yield* Effect.replicateEffect(
        Random.nextIntBetween(0, 300),
        yield* Random.nextIntBetween(0, 400)
      )
      return subjects
        .map((one) => String(one).padStart(3, "0"))
        .toSorted()
        .map((subject) => filed(subject, at++))
    }),
    streams
  )
  const counted = all.map((rows) =>
    Stream.fromIterable(rows).pipe(
      Stream.rechunk(rowsPerRead),
      Stream.mapArray((some) => {
        read.rows += some.length
        return some
      })
    )
  )
  return { rows: all.flat(), streams: counted, read }
})

describe("segments", () => {
  for (const seed of [1, 2, 3, 4, 5])
    it.effect(`hold every row once, whole subjects each, without a gap, and few rows at a time (seed ${seed})`, () =>
      Effect.gen(function* () {
        const rowsPerRead = yield* Random.nextIntBetween(1, 40)
        const { read, rows, streams } = yield* randomStreams(6, rowsPerRead)
        const largest = Math.max(...[...Map.groupBy(rows, ({ subject }) => subject).values()].map((of) => of.length))
        const seen: Array<Segment> = []
        let given = 0
        yield* Stream.runForEach(segments(streams, { from: "", to: null }), (segment) =>
          Effect.sync(() => {
            // what was read and is not done, with what is at hand
            assert.isAtMost(read.rows - given, 6 * rowsPerRead + largest)
            given += segment.rows.length
            seen.push(segment)
          })
        )
        assert.sameMembers(
          seen.flatMap((one) => one.rows),
          rows
        )
        assert.strictEqual(given, rows.length)
        for (const [at, { range, rows: of }] of seen.entries()) {
          assert.strictEqual(range.from, at === 0 ? "" : seen[at - 1]?.range.to)
          for (const { subject } of of)
            assert.isTrue(subject >= range.from && (range.to === null || subject < range.to))
        }
        assert.isNull(seen.at(-1)?.range.to)
      }).pipe(Random.withSeed(`segments ${seed}`))
    )

  it.effect("do not cut a subject that is larger than many reads", () =>
    Effect.gen(function* () {
      const rows = Array.from({ length: 50 }, (_, at) => filed(at < 2 ? "a" : at < 48 ? "b" : "c", at))
      const found = yield* Stream.runCollect(
        segments([Stream.rechunk(Stream.fromIterable(rows), 3)], { from: "a", to: "z" })
      )
      assert.deepStrictEqual(
        found.map(({ range, rows: of }) => [range.from, range.to, of.length]),
        [
          ["a", "b", 2],
          ["b", "c", 46],
          ["c", "z", 2]
        ]
      )
    })
  )
})
