import type { GrantDocument } from "./GrantDocument.ts"
import type { Needed } from "./grantCommands.ts"
import { type GrantChange, grantDiff } from "./grantDiff.ts"

/** What a grant changes, as people are shown it before they approve. */
export interface ShownChanges {
  /** Whether it says again what its chain says: then it puts back what operators have lowered without a grant. */
  readonly repeats: boolean
  readonly changes: ReadonlyArray<GrantChange>
}

/**
 * What a document changes at the end of a chain. One that repeats the chain changes what rows say: `row` is that, in the form of the
 * document's values. Without it, all its values are shown, for any of them may have been lowered.
 */
export const shownChanges = (
  { kind, values }: GrantDocument,
  { before, direction }: Pick<Needed, "before" | "direction">,
  row?: GrantDocument["values"]
): ShownChanges => {
  const repeats = direction === "changes_nothing" && kind !== "adoption"
  return { repeats, changes: grantDiff(repeats ? row : before, values) }
}
