import { Context, type Effect } from "effect"
import type { StorageError } from "../engine/StorageError.ts"

/**
 * Turns of calling a provider that takes the calls of a key only in the order of their numbers. All processes that use the
 * key share them, so that one calls at a time and no number comes twice or too late.
 */
export class CallTurns extends Context.Service<
  CallTurns,
  {
    /**
     * Waits for the turn of a key, makes the call and gives the turn back. The call is handed a number above all that were
     * handed out for the key before: the microseconds of now, or one more than the last where a clock jumped back. A turn that
     * is held for longer than `holdMs` may be taken by another, whose number is higher. Fails with `StorageError` only where
     * the call was not made.
     */
    readonly inTurn: <A, E, R>(
      key: string,
      holdMs: number,
      call: (number: bigint) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | StorageError, R>
  }
>()("@bursar/core/port/CallTurns") {}
