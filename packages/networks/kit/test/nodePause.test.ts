import { makeNodePause, nodePauseOf, type NodeReply } from "@bursar/network-kit/nodePause"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

/** How many seconds a node is left alone after an answer, as far as a minute and more. */
const pausedFor = Effect.fnUntraced(function* (reply: Partial<NodeReply>) {
  yield* TestClock.setTime(Date.UTC(2026, 0))
  const { note, unlessPaused } = makeNodePause()
  yield* note({ status: 200, retryAfter: null, text: "", ...reply })
  const isPaused = Effect.match(
    unlessPaused(Effect.void, (detail) => detail),
    { onFailure: () => true, onSuccess: () => false }
  )
  for (let seconds = 0; seconds < 90; seconds += 1) {
    if (!(yield* isPaused)) return seconds
    yield* TestClock.adjust(1_000)
  }
  return 90
})

describe("a node that says it is asked too much", () => {
  it.effect("is left alone for as long as it says, and for a minute at most", () =>
    Effect.gen(function* () {
      const said: ReadonlyArray<readonly [number, Partial<NodeReply>]> = [
        [1, { status: 429 }],
        [30, { status: 429, retryAfter: "30" }],
        [20, { status: 429, retryAfter: "Thu, 01 Jan 2026 00:00:20 GMT" }],
        [60, { status: 429, retryAfter: "31536000" }],
        [0, { status: 429, retryAfter: "Wed, 31 Dec 2025 00:00:00 GMT" }],
        [1, { status: 429, retryAfter: "soon" }],
        [2, { status: 429, retryAfter: "1.5" }],
        [1, { status: 429, retryAfter: "-1" }],
        [5, { status: 503, retryAfter: "4.2" }],
        [0, { status: 503, retryAfter: "-1" }],
        [5, { status: 503, retryAfter: "5" }],
        [30, { status: 403, text: '{"Error":"the query server is suspended for 30s"}' }]
      ]
      for (const [seconds, reply] of said) assert.strictEqual(yield* pausedFor(reply), seconds, JSON.stringify(reply))
    })
  )

  it.effect(
    "is left alone for a minute at most where the clock is set back meanwhile, and as long as it then says",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 0, 1, 2))
        const { note, unlessPaused } = makeNodePause()
        const isPaused = Effect.match(
          unlessPaused(Effect.void, (detail) => detail),
          { onFailure: () => true, onSuccess: () => false }
        )
        yield* note({ status: 429, retryAfter: "30", text: "" })
        assert.isTrue(yield* isPaused)
        yield* TestClock.setTime(Date.UTC(2026, 0, 1, 1))
        assert.isFalse(yield* isPaused)
        yield* note({ status: 429, retryAfter: "5", text: "" })
        assert.isTrue(yield* isPaused)
        yield* TestClock.adjust(5_000)
        assert.isFalse(yield* isPaused)
      })
  )

  it.effect("is left alone by all who ask it at its address, and no other is", () =>
    Effect.gen(function* () {
      yield* nodePauseOf("https://node.example/key").note({ status: 429, retryAfter: null, text: "" })
      const isPaused = (url: string) =>
        Effect.match(
          nodePauseOf(url).unlessPaused(Effect.void, (detail) => detail),
          { onFailure: () => true, onSuccess: () => false }
        )
      assert.isTrue(yield* isPaused("https://NODE.example:443/key"))
      assert.isFalse(yield* isPaused("https://node.example/another"))
      assert.isFalse(yield* isPaused("https://archive.example/key"))
    })
  )

  it.effect("is asked on after anything else", () =>
    Effect.gen(function* () {
      const others = [{ retryAfter: "30" }, { status: 503 }, { status: 403, text: "no such key" }, { status: 500 }]
      for (const reply of others) assert.strictEqual(yield* pausedFor(reply), 0, JSON.stringify(reply))
    })
  )
})
