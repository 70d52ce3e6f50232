import { Statements } from "@bursar/core/reconciliation/statement/Statements"
import * as Writer from "@bursar/core/engine/Writer"
import { layer } from "@bursar/memory"
import { failuresOf } from "@bursar/testkit/suites/failuresOf"
import { statementsTests } from "@bursar/testkit/suites/statementsSuite"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

it.live("statements that find what a text names in any case are refused", () =>
  Effect.gen(function* () {
    const wrong = Layer.effect(
      Statements,
      Effect.map(Statements, (right) =>
        Statements.of({
          ...right,
          named: (books, texts) =>
            Effect.gen(function* () {
              const lower = yield* right.named(
                books,
                texts.map((text) => text.toLowerCase())
              )
              const alike = texts.flatMap((text) => {
                const found = lower.get(text.toLowerCase())
                return found === undefined ? [] : [[text, found] as const]
              })
              return new Map([...alike, ...(yield* right.named(books, texts))])
            })
        })
      )
    ).pipe(Layer.provideMerge(Writer.layer), Layer.provideMerge(layer))
    assert.deepStrictEqual(yield* failuresOf(Layer.fresh(wrong), statementsTests), [
      "finds the operations of a provider that texts name, and none of others"
    ])
  })
)
