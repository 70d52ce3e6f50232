import { Effect, Exit, Layer, type Scope } from "effect"
import type { SuiteIt } from "./harness.ts"

/**
 * The tests that a world fails, by name: to prove that a suite refuses a wrong adapter. They run one after the other on one
 * world, as those of a suite do.
 */
export const failuresOf = <R, E>(
  world: Layer.Layer<R, E>,
  tests: (it: SuiteIt<R>) => void
): Effect.Effect<ReadonlyArray<string>, E> => {
  const found: Array<readonly [name: string, test: Effect.Effect<unknown, unknown, R>]> = []
  const effect = (name: string, body: () => Effect.Effect<unknown, unknown, R | Scope.Scope>, timeoutMs?: number) =>
    found.push([name, Effect.timeout(Effect.scoped(body()), timeoutMs ?? "1 minute")])
  // groups of tests call nothing else of it
  tests({ effect } as unknown as SuiteIt<R>)
  return Effect.scoped(
    Effect.flatMap(Layer.build(world), (context) => {
      const run = Effect.runPromiseExitWith(context)
      return Effect.forEach(found, ([name, test]) =>
        Effect.map(
          Effect.promise(() => run(test)),
          (exit) => (Exit.isSuccess(exit) ? [] : [name])
        )
      )
    })
  ).pipe(Effect.map((failures) => failures.flat()))
}
