import type { EarlierSignature } from "@bursar/core/port/TransactionSigner"
import { sameNames, shares } from "./store/names.ts"
import type { Remembered } from "./store/Register.ts"

/** What a remembered transaction has in common with what was asked about. */
export const sharedWith = (
  asked: Pick<Remembered, "keys" | "uses">,
  { keys, uses }: Pick<Remembered, "keys" | "uses">
): Pick<EarlierSignature, "guardToo" | "shares"> => {
  if (sameNames(uses, asked.uses) && sameNames(keys, asked.keys)) return { shares: "same" }
  const guardToo = shares(uses, asked.uses)
  // a batch may pay what was asked about whatever it uses up: that comes first
  return shares(keys, asked.keys) ? { shares: "requests", ...(guardToo && { guardToo }) } : { shares: "guard" }
}
