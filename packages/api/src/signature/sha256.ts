import { Effect } from "effect"

/** SHA-256 of bytes. */
export const sha256 = (bytes: Uint8Array): Effect.Effect<Uint8Array> =>
  // A view may lie in memory that is shared, which Web Crypto does not take; a copy never does.
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new Uint8Array(bytes))),
    (digest) => new Uint8Array(digest)
  )
