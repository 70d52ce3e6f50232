import * as Writer from "@bursar/core/engine/Writer"
import type { Storage } from "@bursar/core/engine/Storage"
import type { Vitest } from "@effect/vitest"
import { Context, Effect, Layer, type Scope } from "effect"

/** Settings of a suite that differ by adapter. */
export interface SuiteOptions {
  /** How long one test may take. Default 60 000. */
  readonly timeoutMs?: number
}

/** The tests of a suite, over services that live as long as the suite. Time is real. */
export type SuiteIt<R> = Vitest.MethodsNonLive<R>

/** The same store as another process would open it, or that no other process ever opens it: then nothing between two is tested. */
export type Second<R, E = unknown> = Layer.Layer<R, E> | "one process alone"

/** How long one test may take. */
export const timeoutOf = ({ timeoutMs = 60_000 }: SuiteOptions): number => timeoutMs

/** A port as another process has it on the same store; the adapter's own where no other process opens it. */
export const secondOf = <I, S>(
  port: Context.Key<I, S>,
  second: Second<I>
): Effect.Effect<S, unknown, I | Scope.Scope> =>
  second === "one process alone"
    ? port
    : // parts that both are made of would be shared otherwise, and two processes be one
      Effect.map(Layer.build(Layer.fresh(second)), (built) => Context.get(built, port))

/** Writers of two processes that share one store. */
export class TwoWriters extends Context.Service<
  TwoWriters,
  {
    readonly first: Writer.Writer["Service"]
    readonly second: Writer.Writer["Service"]
  }
>()("@bursar/testkit/suites/TwoWriters") {}

/**
 * Adds a Writer and a second one to an adapter, over what another process would open. Where none does, both Writers share one
 * instance, which still makes them independent queues.
 */
export const withWriters = <R, E>(
  layer: Layer.Layer<R | Storage, E>,
  second: Second<Storage, E>
): Layer.Layer<R | Storage | Writer.Writer | TwoWriters, E> => {
  const own = Layer.fresh(Writer.layer)
  const two = Layer.effect(
    TwoWriters,
    Effect.gen(function* () {
      const first = yield* Writer.Writer
      const other = yield* second === "one process alone"
        ? Layer.build(own)
        : Layer.build(Layer.provide(own, Layer.fresh(second)))
      return TwoWriters.of({ first, second: Context.get(other, Writer.Writer) })
    })
  )
  return two.pipe(Layer.provideMerge(Layer.fresh(Writer.layer)), Layer.provideMerge(layer))
}
