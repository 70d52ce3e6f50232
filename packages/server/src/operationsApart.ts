import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import type { Operation } from "@bursar/core/operation/Operation"
import {
  isReadable,
  type ListedOperation,
  logUnreadableOperation,
  unreadableFor,
  type UnreadableOperation
} from "@bursar/core/store/UnreadableOperation"
import { Effect } from "effect"

/** What a list shows of operations, and those that cannot be read, both in their order. */
export interface ShownApart<A> {
  readonly shown: ReadonlyArray<A>
  readonly unreadable: ReadonlyArray<UnreadableOperation>
}

/**
 * Shows each operation of a list apart: one that cannot be read, or of which something that belongs to it cannot, for somebody has changed a row, is logged
 * (`operation.unreadable`) and named, and takes none of the others away.
 */
export const showApart = <A, E, R>(
  listed: ReadonlyArray<ListedOperation>,
  show: (operation: Operation) => Effect.Effect<A, E, R>
): Effect.Effect<ShownApart<A>, E, R> =>
  Effect.gen(function* () {
    const unreadable = new Map<string, UnreadableOperation>()
    const shown = yield* Effect.forEach(
      listed,
      (one) => {
        if (!isReadable(one)) return Effect.sync((): ReadonlyArray<A> => (unreadable.set(one.id, one), []))
        return Effect.suspend(() => show(one)).pipe(
          Effect.map((each): ReadonlyArray<A> => [each]),
          Effect.catchDefect((defect) => {
            const named = unreadableFor(one, defect)
            unreadable.set(one.id, named)
            return Effect.as(logUnreadableOperation(named), [])
          })
        )
      },
      { concurrency: 8 }
    )
    return { shown: shown.flat(), unreadable: listed.flatMap(({ id }) => unreadable.get(id) ?? []) }
  })

/**
 * Shows a partner's list whole or not at all. A list that lacks one without a word would say that it was never accepted, and a partner might pay it
 * again; what cannot be read is nothing that a partner could be shown. So the answer names it: the partner reads on before and after it, and operators know.
 */
export const showWhole = <A, R>(
  listed: ReadonlyArray<ListedOperation>,
  show: (operation: Operation) => Effect.Effect<A, ApiError, R>
): Effect.Effect<ReadonlyArray<A>, ApiError, R> =>
  Effect.flatMap(showApart(listed, show), ({ shown, unreadable: [first] }) =>
    first === undefined
      ? Effect.succeed(shown)
      : apiError("internal_error", {
          message: `Operation ${first.id} of this list cannot be read. The operators of the service are told of it.`
        })
  )
