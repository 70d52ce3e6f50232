import { defineRecord } from "../../engine/Records.ts"
import type { ToldLine } from "../../port/ProviderStatement.ts"
import { lineKey } from "./StatementLine.ts"

/**
 * An entry of the bank that a statement tells by its parts, as the payments of a batch. Another statement may tell it as one line: where its parts are there
 * already, it has told them, too.
 */
export interface SplitEntry extends Pick<ToldLine, "id" | "at" | "currency" | "units"> {
  /** The name of the place. */
  readonly place: string
  /** The statement that tells its parts, or all of them as one line. */
  readonly statement: string
  /** What those come to that it has told so far. */
  readonly told: bigint
}

/** Entries by place, id and statement. What all statements tell of an entry is a group. */
export const SplitEntry = defineRecord<SplitEntry>({
  name: "SplitEntry",
  // any sign can stand in the ids
  key: ({ id, place, statement }) => JSON.stringify([place, id, statement]),
  group: ({ id, place }) => lineKey(place, id),
  traits: { oncePerCommand: true }
})
