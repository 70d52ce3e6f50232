import { BigInt as Big } from "effect"
import type { Change } from "../engine/Change.ts"
import { isPut, putRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { unsweptImports, UnsweptImports } from "../operation/UnsweptImports.ts"
import type { Sweep } from "./Sweep.ts"
import { sweepableKey, SweepableDeposit } from "./SweepableDeposit.ts"

const isCounted = ({ bookedBy, gone, key }: SweepableDeposit): boolean =>
  key._tag === "Imported" && bookedBy === null && !gone

/** What a deposit adds that came to be so. One that is lost while a sweep has it stays counted: the sweep may move it all the same. */
const added = (before: SweepableDeposit | undefined, after: SweepableDeposit): bigint => {
  const [was, is] = [before !== undefined && isCounted(before), isCounted(after)]
  if (was === is || (was && before?.sweepId !== null)) return 0n
  return is ? after.units : -after.units
}

const changed = (view: Pick<View, "get">, byCurrency: ReadonlyMap<string, bigint>): ReadonlyArray<Change> =>
  [...byCurrency].flatMap(([currency, units]) =>
    units === 0n
      ? []
      : [putRecord(UnsweptImports, { currency, units: Big.max(unsweptImports(view, currency) + units, 0n) })]
  )

/**
 * The changes of a command with what they add to the unswept imports, or take from them. `before` tells what was known of a deposit: by
 * default what the command has read.
 */
export const countImports = (
  view: Pick<View, "get">,
  changes: ReadonlyArray<Change>,
  before: (key: string) => SweepableDeposit | undefined = (key) => view.get(SweepableDeposit, key)
): ReadonlyArray<Change> => {
  const latest = new Map<string, SweepableDeposit>()
  const byCurrency = new Map<string, bigint>()
  for (const change of changes) {
    if (!isPut(SweepableDeposit, change) || change.record.key._tag !== "Imported") continue
    const key = sweepableKey(change.record)
    const { currency } = change.record
    byCurrency.set(currency, (byCurrency.get(currency) ?? 0n) + added(latest.get(key) ?? before(key), change.record))
    latest.set(key, change.record)
  }
  return [...changes, ...changed(view, byCurrency)]
}

/** What a sweep that has moved its deposits takes from the unswept imports. */
export const countSwept = (view: Pick<View, "get">, { currency, deposits }: Sweep): ReadonlyArray<Change> => {
  const swept = deposits
    .map((deposit) => view.get(SweepableDeposit, sweepableKey(deposit)))
    .filter((one) => one?.key._tag === "Imported" && one.bookedBy === null)
    .reduce((sum, one) => sum + (one?.units ?? 0n), 0n)
  return changed(view, new Map([[currency, -swept]]))
}
