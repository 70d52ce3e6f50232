import type { Loaded } from "@bursar/core/engine/runBatch"
import type { Head } from "@bursar/core/engine/WriteSet"

/** What a storage found for a batch: a head, and beside it nothing but what is given. */
export const loadedWith = (head: Head, more: Partial<Loaded> = {}): Loaded => ({
  head,
  balances: new Map(),
  liveAddresses: new Map(),
  keyOwners: new Map(),
  records: new Map(),
  newest: new Map(),
  facts: new Map(),
  ...more
})
