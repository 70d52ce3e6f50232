import { Result } from "effect"
import type { Command } from "./Command.ts"
import type { Read } from "./Read.ts"
import type { AnyNewest, AnyRecord, SharedFact } from "./Records.ts"

/** The kinds that a store can read and write. Another definition of the same name is another kind. */
export interface KnownKinds {
  readonly isRecord: (of: AnyRecord) => boolean
  /** What it can find besides records. */
  readonly others: ReadonlySet<AnyNewest | SharedFact<unknown>>
}

/** The name of the first kind that a store does not know. */
const unknownIn = (reads: ReadonlyArray<Read>, { isRecord, others }: KnownKinds): string | undefined => {
  for (const read of reads) {
    if (read._tag === "Record" || read._tag === "RecordGroup") {
      if (!isRecord(read.of)) return read.of.name
    } else if ((read._tag === "Newest" || read._tag === "Fact") && !others.has(read.of)) return read.of.name
  }
  return undefined
}

/**
 * Commands as a store may run them: one that reads or puts a kind that the store does not know reads nothing and is a bug that fails alone, since
 * the store could serve none of its batch, or would take the records of one kind for those of another.
 */
export const ofKnownKinds = (
  commands: ReadonlyArray<Command<unknown>>,
  known: KnownKinds
): ReadonlyArray<Command<unknown>> =>
  commands.map((command): Command<unknown> => {
    const { name } = command
    const unread = unknownIn(command.reads, known)
    if (unread !== undefined)
      return {
        name,
        reads: [],
        decide: () => {
          throw new Error(`the store does not know the ${unread} that ${name} reads`)
        }
      }
    return {
      name,
      reads: command.reads,
      decide: (view) =>
        Result.map(command.decide(view), (decided) => {
          for (const change of decided.changes)
            if (change._tag === "RecordPut" && !known.isRecord(change.of))
              throw new Error(`the store does not know the ${change.of.name} that ${name} puts`)
          return decided
        })
    }
  })
