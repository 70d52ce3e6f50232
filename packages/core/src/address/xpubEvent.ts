import type { Json } from "../base/Json.ts"
import type { Xpub } from "./Xpub.ts"

/** The data of the events of an extended public key: whoever did not register it sees whose addresses are given out. */
export const xpubEventData = ({
  id,
  indexFrom,
  indexTo,
  network,
  nextIndex,
  xpub
}: Xpub): { readonly [key: string]: Json } => ({
  xpub_id: id,
  network,
  xpub,
  index_from: indexFrom,
  index_to: indexTo,
  next_index: nextIndex
})
