import type { Deposit } from "@bursar/api/wire/Deposit"
import { type Deposit as Record, legacyKey } from "@bursar/core/deposit/Deposit"
import { toIso } from "@bursar/core/base/Timestamp"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Network } from "@bursar/core/money/Network"
import { isoOrNull } from "../../wire/moment.ts"
import { money } from "../../wire/money.ts"

/** A deposit that waits is shown with the blocks on top of it now, which its record learns only when its status changes. */
const confirmationsOf = (
  { block, confirmations, network, status }: Record,
  heights: ReadonlyMap<Network, number>
): number => {
  const height = heights.get(network)
  if (status !== "DETECTED" || block === null || height === undefined) return confirmations
  return Math.max(confirmations, height - block.number + 1)
}

/** A deposit as partners see it. `heights` is how far each network has been read. */
export const toWire = (deposit: Record, currencies: CurrencyTable, heights: ReadonlyMap<Network, number>): Deposit => ({
  id: deposit.id,
  network: deposit.network,
  address: deposit.address,
  reference: deposit.reference,
  amount: money(currencies, deposit.units, deposit.currency),
  amount_units: deposit.units.toString(),
  tx_hash: deposit.txHash,
  transfer_index: deposit.transferIndex,
  legacy_key: legacyKey(deposit),
  from_address: deposit.fromAddress,
  block_number: deposit.block?.number ?? null,
  block_time: isoOrNull(deposit.block?.time),
  confirmations: confirmationsOf(deposit, heights),
  required_confirmations: deposit.requiredConfirmations,
  status: deposit.status,
  historical: deposit.historical,
  detected_at: toIso(deposit.detectedAt),
  confirmed_at: isoOrNull(deposit.confirmedAt),
  reorged_at: isoOrNull(deposit.reorgedAt),
  change_seq: deposit.changeSeq
})
