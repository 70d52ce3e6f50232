import { sha256 as digest } from "@noble/hashes/sha2.js"
import { Effect } from "effect"

/** SHA-256 of bytes. Computed at once: what is hashed is short, and Web Crypto would take longer to be asked. */
export const sha256 = (bytes: Uint8Array): Effect.Effect<Uint8Array> => Effect.sync(() => digest(bytes))
