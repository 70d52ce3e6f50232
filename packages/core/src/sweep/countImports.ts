import { BigInt as Big } from "effect"
import type { Change } from "../engine/Change.ts"
import { isPut, putRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { unsweptImports, UnsweptImports } from "../operation/UnsweptImports.ts"
import { sweepableKey, SweepableDeposit } from "./SweepableDeposit.ts"

/**
 * The changes of a command with what they add to the unswept imports, or take from them. `before` tells what was known of an intake: by
 * default what the command has read.
 */
export const countImports = (
  view: Pick<View, "get">,
  changes: ReadonlyArray<Change>,
  before: (key: string) => SweepableDeposit | undefined = (key) => view.get(SweepableDeposit, key)
): ReadonlyArray<Change> => {
  const latest = new Map<string, bigint>()
  const byCurrency = new Map<string, bigint>()
  for (const change of changes) {
    if (!isPut(SweepableDeposit, change)) continue
    const { currency, unbacked } = change.record
    const key = sweepableKey(change.record)
    const known = latest.get(key) ?? before(key)?.unbacked ?? 0n
    byCurrency.set(currency, (byCurrency.get(currency) ?? 0n) + unbacked - known)
    latest.set(key, unbacked)
  }
  const counted = [...byCurrency]
    .filter(([, units]) => units !== 0n)
    .map(([currency, units]) =>
      putRecord(UnsweptImports, { currency, units: Big.max(unsweptImports(view, currency) + units, 0n) })
    )
  return [...changes, ...counted]
}
