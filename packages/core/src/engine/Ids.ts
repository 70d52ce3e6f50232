import { Context } from "effect"

/** Makes a UUIDv7 (RFC 9562, section 5.7) from a moment in Unix milliseconds and ten random bytes. */
export const uuidV7 = (now: number, random: Uint8Array): string => {
  const time = Math.trunc(now).toString(16).padStart(12, "0")
  const bytes = Array.from(random.subarray(0, 10), (byte, index) =>
    (index === 0 ? (byte & 0x0f) | 0x70 : index === 2 ? (byte & 0x3f) | 0x80 : byte).toString(16).padStart(2, "0"))
  const hex = time + bytes.join("")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}

/**
 * The source of the random bytes behind new ids. The default is the platform's Web Crypto; tests and simulations put a
 * seeded one in its place.
 */
export const RandomBytes = Context.Reference<(length: number) => Uint8Array>("@bursar/core/engine/RandomBytes", {
  defaultValue: () => (length) => crypto.getRandomValues(new Uint8Array(length))
})
