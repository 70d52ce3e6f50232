import { Context } from "effect"

/** Makes a UUIDv7 (RFC 9562, section 5.7) from a moment in Unix milliseconds and ten random bytes. */
export const uuidV7 = (now: number, random: Uint8Array): string => {
  const time = Math.trunc(now).toString(16).padStart(12, "0")
  const bytes = Array.from(random.subarray(0, 10), (byte, index) =>
    (index === 0 ? (byte & 0x0f) | 0x70 : index === 2 ? (byte & 0x3f) | 0x80 : byte).toString(16).padStart(2, "0")
  )
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

/** The counter within a millisecond has twelve bits. */
const counterMax = 0xfff

/**
 * A source of UUIDv7 that never goes back: within a millisecond the twelve bits behind the time count up from a random
 * start (RFC 9562, section 6.2, method 1), and when they are used up the time runs ahead.
 */
export const monotonicIds = (randomBytes: (length: number) => Uint8Array): ((now: number) => string) => {
  let time = -1
  let counter = 0
  return (now) => {
    const random = Uint8Array.from(randomBytes(10))
    if (now > time) {
      time = now
      // half of the range stays free to count in
      counter = (((random[0] ?? 0) << 8) | (random[1] ?? 0)) & (counterMax >> 1)
    } else if (counter < counterMax) {
      counter += 1
    } else {
      time += 1
      counter = 0
    }
    random[0] = counter >> 8
    random[1] = counter & 0xff
    return uuidV7(time, random)
  }
}
