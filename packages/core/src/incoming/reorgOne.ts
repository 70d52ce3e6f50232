import { type DepositAddress, serviceHoldsKey } from "../address/DepositAddress.ts"
import type { Change } from "../engine/Change.ts"
import type { View } from "../engine/View.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { reverse } from "../deposit/creditDeposit.ts"
import type { Deposit } from "../deposit/Deposit.ts"
import { removeSweepable } from "../sweep/addSweepable.ts"
import { sweepableKey, SweepableDeposit } from "../sweep/SweepableDeposit.ts"
import { moveDeposit } from "../deposit/moveDeposit.ts"

/** Moves one deposit to REORGED and, if it was credited, takes the credit back. It is not swept any more. */
export const reorgOne = (
  view: View,
  currencies: CurrencyTable,
  deposit: Deposit,
  address: DepositAddress
): { readonly deposit: Deposit; readonly changes: ReadonlyArray<Change> } | undefined => {
  // what was credited before its key came, and was not there to be taken over any more, is on the tenant's side still
  const isOurs = view.get(SweepableDeposit, sweepableKey(deposit)) !== undefined
  const origin = serviceHoldsKey(address.origin) && !isOurs ? "REGISTERED" : address.origin
  const reversal = deposit.creditedBy === null ? undefined : reverse(view, deposit, origin)
  const moved = moveDeposit(view, currencies, deposit.status, "reorged", {
    ...deposit,
    confirmations: 0,
    confirmedAt: null,
    reorgedAt: view.now,
    creditedBy: null,
    ownUnits: 0n
  })
  if (moved === undefined) return undefined
  return {
    deposit: moved.deposit,
    changes: [...moved.changes, ...(reversal?.changes ?? []), ...removeSweepable(view, deposit)]
  }
}
