import type { Effect } from "effect"
import { sha256Hex } from "../base/sha256.ts"
import { toIso } from "../base/Timestamp.ts"
import type { Destination } from "./Destination.ts"

const isoOrNull = (at: number | null): string | null => (at === null ? null : toIso(at))

/** What is hashed of a verified destination, as JSON, in this order. Another order would break every digest that was noted. */
const textOf = (one: Destination): string =>
  JSON.stringify([
    one.id,
    one.currency,
    one.network,
    one.address,
    one.memo,
    one.proposedBy,
    one.verifiedBy,
    isoOrNull(one.verifiedAt),
    isoOrNull(one.usableFrom)
  ])

/**
 * What a destination says that decides where money goes and from when on: SHA-256, lower-case hexadecimal. The log of operators'
 * actions keeps it of each verification. A label and a later rejection are not in it.
 */
export const destinationDigest = (one: Destination): Effect.Effect<string> => sha256Hex(textOf(one))
