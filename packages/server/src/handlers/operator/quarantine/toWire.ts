import type { QuarantineEntry as Wire } from "@bursar/api/operator/OperatorQuarantine"
import { toIso } from "@bursar/core/base/Timestamp"
import type { QuarantineEntry } from "@bursar/core/port/Quarantine"
import { isoOrNull } from "../../../wire/moment.ts"

/** An entry of the quarantine. */
export const toWire = ({ block, end, gains, network, noticedAt, reason, txHash }: QuarantineEntry): Wire => ({
  network,
  block_number: block.number,
  block_hash: block.hash,
  block_time: toIso(block.time),
  tx_hash: txHash,
  reason,
  gains:
    gains?.map(({ across, contract, to, units }) => ({
      address: to,
      contract,
      units: units.toString(),
      across: across ?? ("transaction" as const)
    })) ?? null,
  noticed_at: toIso(noticedAt),
  outcome: end?.outcome ?? null,
  ended_by: end?.by ?? null,
  end_reason: end?.reason ?? null,
  ended_at: isoOrNull(end?.at)
})
