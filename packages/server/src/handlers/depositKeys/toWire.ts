import type { Xpub } from "@bursar/api/wire/Xpub"
import type { Xpub as Record } from "@bursar/core/address/Xpub"
import { toIso } from "@bursar/core/base/Timestamp"
import { isoOrNull } from "../../wire/moment.ts"

/** An extended public key as partners see it. */
export const toWire = (record: Record): Xpub => ({
  id: record.id,
  network: record.network,
  xpub: record.xpub,
  index_from: record.indexFrom,
  index_to: record.indexTo,
  next_index: record.nextIndex,
  retired_at: isoOrNull(record.retiredAt),
  created_at: toIso(record.createdAt)
})
