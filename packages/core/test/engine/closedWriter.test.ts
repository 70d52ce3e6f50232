import { StorageError } from "@bursar/core/engine/StorageError"
import * as Writer from "@bursar/core/engine/Writer"
import * as Memory from "@bursar/memory"
import { emitting } from "@bursar/testkit/fixtures/commands"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Scope } from "effect"

/** A Writer in a scope of its own, over a storage that outlives it. */
const setUp = Effect.gen(function* () {
  const scope = yield* Scope.make()
  const built = yield* Scope.provide(Layer.build(Layer.fresh(Writer.layer)), scope)
  const { id } = yield* newTenant()
  const { submit } = Context.get(built, Writer.Writer)
  return { close: Scope.close(scope, Exit.void), submit: submit(id, emitting()) }
})

layer(Memory.layer)("a Writer that is closed", (it) => {
  it.effect("refuses what comes then, and lets nobody wait for an answer", () =>
    Effect.gen(function* () {
      const { close, submit } = yield* setUp
      yield* submit
      yield* close
      for (const time of ["first", "second"]) assert.instanceOf(yield* Effect.flip(submit), StorageError, time)
    })
  )

  it.effect("carries out what it took in the moment before", () =>
    Effect.gen(function* () {
      const { close, submit } = yield* setUp
      const taken = yield* Effect.forkChild(submit, { startImmediately: true })
      yield* close
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(taken)))
    })
  )
})
