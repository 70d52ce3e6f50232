import type { ChainError } from "@bursar/core/port/Chain"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { SuiteIt } from "../harness.ts"
import { ChainWorld, nodeFaults } from "./ChainWorld.ts"

const failed = <A>(question: Effect.Effect<A, ChainError>) =>
  Effect.match(question, {
    onFailure: (error) => assert.strictEqual(error._tag, "ChainError"),
    onSuccess: (answer) => assert.fail(`an answer was made of nothing: ${String(answer)}`)
  })

/** Nodes that do not say the truth. */
export const faultTests = (it: SuiteIt<ChainWorld>, timeoutMs: number): void => {
  for (const fault of nodeFaults.filter((other) => other !== "lagging")) {
    it.effect(
      `concludes nothing from a node that is ${fault}`,
      () =>
        Effect.gen(function* () {
          const { address, breakNode, heal, reader, send } = yield* ChainWorld
          const before = yield* reader.block((yield* send(yield* address, 80n, null)).blockHash)
          yield* breakNode(fault)
          yield* Effect.ensuring(
            Effect.all([
              failed(reader.tip),
              failed(reader.header(before.number)),
              failed(reader.block(before.hash)),
              failed(reader.blockAt(before.time))
            ]),
            heal
          )
          assert.deepStrictEqual(yield* reader.block(before.hash), before)
        }),
      timeoutMs
    )
  }

  it.effect(
    "does not see in a node that lags what is above its tip",
    () =>
      Effect.gen(function* () {
        const { address, breakNode, heal, mine, reader, send } = yield* ChainWorld
        yield* mine(4)
        const before = yield* reader.block((yield* send(yield* address, 81n, null)).blockHash)
        yield* breakNode("lagging")
        yield* Effect.ensuring(
          Effect.gen(function* () {
            const { confirmed, latest } = yield* reader.tip
            assert.isBelow(latest.number, before.number)
            assert.isAtMost(confirmed, latest.number)
            yield* failed(reader.header(before.number))
            yield* failed(reader.block(before.hash))
          }),
          heal
        )
        assert.deepStrictEqual(yield* reader.block(before.hash), before)
      }),
    timeoutMs
  )
}
