import { Context, type Effect, Schema, type Scope } from "effect"
import type { Fence } from "../engine/fenced.ts"
import type { StorageError } from "../engine/StorageError.ts"

/** Another process has taken the leadership since. */
export class Fenced extends Schema.TaggedError<Fenced>()("Fenced", { name: Schema.String }) {}

/**
 * Elects one process in the fleet for a name. `lead` keeps trying until it is interrupted; while this process leads it
 * runs `work`, and interrupts it as soon as the leadership may have been lost. Taking over from a dead process takes
 * seconds. What a late process still writes is refused by its fence. Failures of `work` are logged and it is elected anew.
 */
export class Leadership extends Context.Service<
  Leadership,
  {
    readonly lead: <R>(
      name: string,
      work: (fence: Fence) => Effect.Effect<void, StorageError | Fenced, R>
    ) => Effect.Effect<never, never, Exclude<R, Scope.Scope>>
  }
>()("@bursar/core/port/Leadership") {}
