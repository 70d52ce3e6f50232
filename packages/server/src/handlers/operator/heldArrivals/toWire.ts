import type { HeldArrivalEntry as Wire } from "@bursar/api/operator/OperatorHeldArrival"
import { toIso } from "@bursar/core/base/Timestamp"
import type { HeldArrivalEntry } from "@bursar/core/port/HeldArrivals"
import { isoOrNull } from "../../../wire/moment.ts"

/** A held arrival. */
export const toWire = ({ acceptance, end, ...held }: HeldArrivalEntry): Wire => ({
  network: held.network,
  tx_hash: held.txHash,
  transfer_index: held.transferIndex,
  block_number: held.blockNumber,
  block_hash: held.blockHash,
  tenant_id: held.tenantId,
  address: held.address,
  currency: held.currency,
  amount_units: held.units.toString(),
  state: held.state,
  said: held.said,
  since: toIso(held.since),
  accepted_by: acceptance?.by ?? null,
  acceptance_reason: acceptance?.reason ?? null,
  outcome: end?.outcome ?? null,
  ended_by: end?.by ?? null,
  end_reason: end?.reason ?? null,
  ended_at: isoOrNull(end?.at)
})
