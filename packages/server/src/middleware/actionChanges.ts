import { Context, Effect, Ref } from "effect"

/** Something that an operator's action has changed. */
export interface ActionChange {
  /** The kind of record. */
  readonly record: string
  readonly key: string
  /** What it was; null where it is new, or where the action did not have to know it. */
  readonly before: unknown
  readonly after: unknown
}

/** What the action of this request has changed so far; null where none is written down. */
export const ActionChanges = Context.Reference<Ref.Ref<ReadonlyArray<ActionChange>> | null>(
  "@bursar/server/middleware/ActionChanges",
  { defaultValue: () => null }
)

/** Has the record of this action's outcome say what was changed. */
export const noteChanges = (changes: ReadonlyArray<ActionChange>): Effect.Effect<void> =>
  Effect.flatMap(ActionChanges, (ref) =>
    ref === null ? Effect.void : Ref.update(ref, (before) => [...before, ...changes])
  )
