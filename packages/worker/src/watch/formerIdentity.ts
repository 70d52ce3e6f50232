import type { Transfer } from "@bursar/core/port/Chain"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import { receiversOf } from "./matchTransfers.ts"
import type { Watch } from "./Watch.ts"

/**
 * Gives transfers the places back under which they were recorded when the network's reader still numbered them in another way: a
 * deposit keeps its identity, and none is credited twice. What the same transaction pays to the same address in the same amount
 * is told apart by its order, which both ways of numbering keep.
 */
export const withFormerIdentity = (
  watch: Pick<Watch, "accountOf" | "chain">,
  transfers: ReadonlyArray<Transfer>,
  known: ReadonlyArray<Pick<Deposit, "address" | "transferIndex" | "txHash" | "units">>
): ReadonlyArray<Transfer> => {
  const { renumbered } = watch.chain
  if (renumbered === undefined) return transfers
  const former = known
    .filter(({ transferIndex }) => transferIndex >= renumbered.former.first && transferIndex <= renumbered.former.last)
    .toSorted((one, other) => one.transferIndex - other.transferIndex)
  if (former.length === 0) return transfers
  const taken = new Set<unknown>()
  return transfers.map((transfer) => {
    if (transfer.transferIndex < renumbered.from || transfer.contract !== null) return transfer
    const receivers = receiversOf(watch, transfer)
    const recorded = former.find(
      (deposit) =>
        !taken.has(deposit) &&
        deposit.txHash === transfer.txHash &&
        deposit.units === transfer.units &&
        receivers.includes(deposit.address)
    )
    if (recorded === undefined) return transfer
    taken.add(recorded)
    return { ...transfer, transferIndex: recorded.transferIndex }
  })
}
