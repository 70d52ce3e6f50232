import { ChainError } from "@bursar/core/port/Chain"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeNodeTally } from "../../src/nodes/NodeTally.ts"

it.effect("a question that a node was spared is no question and no failure, and why it was spared is told", () =>
  Effect.gen(function* () {
    const { counted, figures } = makeNodeTally()
    const fails = (detail: string, more: { readonly wasAsked?: false } = {}) =>
      counted(Effect.fail(new ChainError({ network: "tron", reason: "unreachable", doing: "ask", detail, ...more })))
    yield* counted(Effect.void)
    yield* Effect.flip(fails("HTTP 429"))
    for (let spared = 0; spared < 9; spared += 1) yield* Effect.flip(fails("it is left alone", { wasAsked: false }))
    const { calls, failed, problem } = yield* figures
    assert.deepStrictEqual([calls, failed, problem], [2, 1, "it is left alone"])
  })
)
