import * as Writer from "@bursar/core/engine/Writer"
import type { Storage } from "@bursar/core/engine/Storage"
import type { Vitest } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"

/** Settings of a suite that differ by adapter. */
export interface SuiteOptions {
  /** How long one test may take. Default 60 000. */
  readonly timeoutMs?: number
}

/** The tests of a suite, over services that live as long as the suite. Time is real. */
export type SuiteIt<R> = Vitest.MethodsNonLive<R>

/** How long one test may take. */
export const timeoutOf = ({ timeoutMs = 60_000 }: SuiteOptions): number => timeoutMs

/** Writers of two processes that share one store. */
export class TwoWriters extends Context.Service<
  TwoWriters,
  {
    readonly first: Writer.Writer["Service"]
    readonly second: Writer.Writer["Service"]
  }
>()("@bursar/testkit/suites/TwoWriters") {}

/**
 * Adds a Writer and a second one to an adapter. `second` is the adapter as another process would build it on the same
 * store; without it both Writers share one instance, which still makes them independent queues.
 */
export const withWriters = <R, E>(
  layer: Layer.Layer<R | Storage, E>,
  second: Layer.Layer<Storage, E> | undefined
): Layer.Layer<R | Storage | Writer.Writer | TwoWriters, E> => {
  const own = Layer.fresh(Writer.layer)
  const two = Layer.effect(
    TwoWriters,
    Effect.gen(function* () {
      const first = yield* Writer.Writer
      const other = yield* second === undefined ? Layer.build(own) : Layer.build(Layer.provide(own, second))
      return TwoWriters.of({ first, second: Context.get(other, Writer.Writer) })
    })
  )
  return two.pipe(Layer.provideMerge(Layer.fresh(Writer.layer)), Layer.provideMerge(layer))
}
