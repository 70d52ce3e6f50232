import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Attempt, History } from "../soak/history.ts"
import { go, judgeHistory } from "../soak/judgeHistory.ts"

/** Two payments that overlap, a reading between their answers, and a request that was lost and made again. */
const right = {
  opening: 100n,
  spent: [
    { from: 1, to: 10, units: 30n },
    { from: 2, to: 20, units: 5n }
  ],
  readings: [
    { from: 3, to: 4, available: 95n },
    { from: 12, to: 13, available: 65n }
  ],
  asked: [
    {
      idempotencyKey: "one",
      attempts: [
        { from: 1, to: null, answer: null, replayed: false },
        { from: 5, to: 10, answer: "a", replayed: true },
        { from: 11, to: 12, answer: "a", replayed: true }
      ]
    }
  ]
} satisfies History

const answers = (...attempts: ReadonlyArray<Attempt>): History => ({
  ...right,
  asked: [{ idempotencyKey: "one", attempts }]
})

/** As many as are lost where nothing answers for a while: each could have been the one that did the work. */
const lost = Array.from({ length: 40 }, (_, from): Attempt => ({ from, to: null, answer: null, replayed: false }))

const firstly: Attempt = { from: 1, to: 2, answer: "a", replayed: false }

/** Histories that no order explains, and what is said of each. */
const wrong: ReadonlyArray<readonly [string, History, RegExp]> = [
  [
    "a reading that misses an acknowledged payment",
    { ...right, readings: [{ from: 21, to: 22, available: 70n }] },
    /available/u
  ],
  [
    "two readings that need two orders",
    {
      ...right,
      readings: [
        { from: 3, to: 4, available: 95n },
        { from: 5, to: 6, available: 70n }
      ]
    },
    /available/u
  ],
  ["an effect that came twice", answers(firstly, { from: 3, to: 4, answer: "a", replayed: false }), /answers of one/u],
  [
    "an effect that came twice beside many requests that were lost",
    answers(...lost, { ...firstly, from: 50, to: 51 }, { ...firstly, from: 52, to: 53 }),
    /answers of one \(Illegal\)/u
  ],
  ["another answer", answers(firstly, { from: 3, to: 4, answer: "b", replayed: true }), /answers of one/u],
  ["an answer of what was never done", answers({ from: 1, to: 2, answer: "a", replayed: true }), /answers of one/u]
]

describe.skipIf(go === undefined)("a history of a soak", () => {
  it.live("is right where an order explains it", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* judgeHistory(go ?? "", right), [])
    })
  )

  it.live("is right where one of many requests that were lost did the work, and no answer says which", () =>
    Effect.gen(function* () {
      const told = { from: 50, to: 51, answer: "a", replayed: true }
      assert.deepStrictEqual(yield* judgeHistory(go ?? "", answers(...lost, told, { ...told, from: 52, to: 53 })), [])
    })
  )

  it.live.each(wrong)("%s is found", ([, history, said]) =>
    Effect.gen(function* () {
      const [line = "", ...more] = yield* judgeHistory(go ?? "", history)
      assert.match(line, said)
      assert.deepStrictEqual(more, [])
    })
  )
})
