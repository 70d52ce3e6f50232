import { StorageError } from "@bursar/core/engine/StorageError"
import { Effect } from "effect"

/** A look that comes upon a row that cannot be read has failed like one that the database did not answer: it is told, and repeated. */
export const defectAsFailure = <A, E, R>(look: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, R> =>
  Effect.catchDefect(look, (cause) => Effect.fail(new StorageError({ doing: "look at the database", cause })))
