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

/** A kind may throw on a key that it has no text for. */
const tellKeys = (reads: ReadonlyArray<Read>): void => {
  for (const read of reads) if (read._tag === "Record") read.of.text(read.key)
}

/** Why a store cannot look for what a command reads. */
const unreadable = ({ name, reads }: Command<unknown>, known: KnownKinds): unknown => {
  const unread = unknownIn(reads, known)
  if (unread !== undefined) return new Error(`the store does not know the ${unread} that ${name} reads`)
  return Result.getOrUndefined(Result.flip(Result.try(() => tellKeys(reads))))
}

/**
 * Commands as a store may run them: one that reads or puts a kind that the store does not know, or reads a key that its kind cannot tell, reads
 * nothing and is a bug that fails alone, since the store could serve none of its batch, or would take the records of one kind for those of another.
 */
export const ofKnownKinds = (
  commands: ReadonlyArray<Command<unknown>>,
  known: KnownKinds
): ReadonlyArray<Command<unknown>> =>
  commands.map((command): Command<unknown> => {
    const { name } = command
    const cause = unreadable(command, known)
    if (cause !== undefined)
      return {
        name,
        reads: [],
        decide: () => {
          throw cause
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
