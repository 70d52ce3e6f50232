import { Context, Effect, Ref } from "effect"

type Notes = Readonly<Record<string, string>>

/** What the handler of an operator's action has the record of its outcome say beside the parameters of its path; null where none is written. */
export const ActionNotes = Context.Reference<Ref.Ref<Notes> | null>("@bursar/server/middleware/ActionNotes", {
  defaultValue: () => null
})

/** Has the record of this action's outcome say more: digests and ids, never what a body holds. */
export const noteAction = (notes: Notes): Effect.Effect<void> =>
  Effect.flatMap(ActionNotes, (ref) =>
    ref === null ? Effect.void : Ref.update(ref, (before) => ({ ...before, ...notes }))
  )
