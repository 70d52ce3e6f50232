import { DepositAddress, serviceHoldsKey } from "../address/DepositAddress.ts"
import { holdOf } from "../address/holdOf.ts"
import type { Change } from "../engine/Change.ts"
import type { View } from "../engine/View.ts"
import { putRecord } from "../engine/Records.ts"

/**
 * Holds the sweeping of an address that something has arrived on, where the tenant's policy says so, the service could sweep
 * it, and nothing holds it yet. `held` remembers what was held for other arrivals of the same command.
 */
export const arrivalHold = (view: View, address: DepositAddress, held: Set<string>): ReadonlyArray<Change> => {
  if (!view.tenant.policy.holdOnArrival || !serviceHoldsKey(address.origin)) return []
  if (address.sweepHold !== null || held.has(address.id)) return []
  held.add(address.id)
  const sweepHold = holdOf("ARRIVAL", "Held when a deposit arrived, until it has been seen.", view.now)
  return [putRecord(DepositAddress, { ...address, sweepHold })]
}
