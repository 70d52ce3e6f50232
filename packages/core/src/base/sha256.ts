import { Effect } from "effect"

const utf8 = new TextEncoder()

/** Bytes as lower-case hexadecimal. */
export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/** SHA-256 of the UTF-8 bytes of a text, lower-case hexadecimal. */
export const sha256Hex = (text: string): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", utf8.encode(text))),
    (digest) => toHex(new Uint8Array(digest))
  )
