import { logStorageError } from "@bursar/core/engine/StorageError"
import { depositAddresses } from "@bursar/core/reconciliation/Place"
import { Positions } from "@bursar/core/reconciliation/Positions"
import { type AlarmRule, missingBy } from "@bursar/core/reconciliation/raiseAlarms"
import type { ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { Effect } from "effect"
import type { Recording } from "./Recording.ts"

/** What a rule is of. */
interface Judged {
  readonly place: string
  readonly currency: string
  readonly open: ReadonlyArray<ReconciliationBreak>
  /** What comes on top of the open breaks; below zero where it is too much. */
  readonly opened?: bigint
  /** Those of the open breaks that are gone, or less. */
  readonly closed?: ReadonlyArray<string>
}

/** When breaks of a currency at a place are an alarm, and how much may be missing without a stop: that is asked where an alarm could stop it. */
export const alarmRule = Effect.fnUntraced(function* (
  { currencies, limits }: Pick<Recording, "currencies" | "limits">,
  { closed = [], currency, open, opened = 0n, place }: Judged
): Effect.fn.Return<AlarmRule, never, Positions> {
  const { alarmAfterMs, onAlarm, tolerances } = limits
  const rule: AlarmRule = {
    tolerance: tolerances.get(currency) ?? 0n,
    afterMs: alarmAfterMs,
    stops: onAlarm === "stop_payouts",
    movable: 0n
  }
  const asset = currencies.byCode(currency)?.asset
  const isHeldForTenants = asset != null && place === depositAddresses(asset.network).name
  const isMissing = opened > 0n || missingBy(open).some(({ alarmedAt }) => alarmedAt === null || closed.length > 0)
  if (!rule.stops || !isHeldForTenants || !isMissing) return rule
  const { movable } = yield* Positions
  // an alarm does not wait for this: where nobody can tell, it stops
  const units = yield* movable({ network: asset.network, currency, isNative: asset.contract === null }).pipe(
    Effect.catch((error) => Effect.as(logStorageError(error), 0n))
  )
  return { ...rule, movable: units }
})
