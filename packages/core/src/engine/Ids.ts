import { Context } from "effect"

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

/** Makes a UUIDv7 (RFC 9562, section 5.7) from a moment in Unix milliseconds and ten random bytes. */
export const uuidV7 = (now: number, random: Uint8Array): string => {
  const time = Math.trunc(now).toString(16).padStart(12, "0")
  const at = (index: number) => hex[random[index] ?? 0] ?? ""
  const version = hex[((random[0] ?? 0) & 0x0f) | 0x70] ?? ""
  const variant = hex[((random[2] ?? 0) & 0x3f) | 0x80] ?? ""
  return `${time.slice(0, 8)}-${time.slice(8)}-${version}${at(1)}-${variant}${at(3)}-${at(4)}${at(5)}${at(6)}${at(7)}${at(8)}${at(9)}`
}

/** How many random bytes are drawn at once for those who want few: drawing costs more than the bytes. */
const drawnAtOnce = 4_096

/** Who wants more than this draws for themselves. */
const fewMax = 64

/** The platform's random bytes. Each is given out once, and is not kept. */
const platformBytes = (): ((length: number) => Uint8Array) => {
  const drawn = new Uint8Array(drawnAtOnce)
  let used = drawnAtOnce
  return (length) => {
    if (length > fewMax) return crypto.getRandomValues(new Uint8Array(length))
    if (used + length > drawnAtOnce) {
      crypto.getRandomValues(drawn)
      used = 0
    }
    const given = drawn.slice(used, used + length)
    drawn.fill(0, used, used + length)
    used += length
    return given
  }
}

/**
 * The source of the random bytes behind new ids. The default is the platform's Web Crypto; tests and simulations put a
 * seeded one in its place.
 */
export const RandomBytes = Context.Reference<(length: number) => Uint8Array>("@bursar/core/engine/RandomBytes", {
  defaultValue: platformBytes
})

/** Random bytes are drawn for this many ids at once: drawing costs more than the bytes. */
const idsPerDraw = 100

/** The counter within a millisecond has twelve bits. */
const counterMax = 0xfff

/**
 * A source of UUIDv7 that never goes back: within a millisecond the twelve bits behind the time count up from a random
 * start (RFC 9562, section 6.2, method 1), and when they are used up the time runs ahead.
 */
export const monotonicIds = (randomBytes: (length: number) => Uint8Array): ((now: number) => string) => {
  let time = -1
  let counter = 0
  let pool = new Uint8Array(0)
  let used = 0
  return (now) => {
    if (used === pool.length) {
      pool = Uint8Array.from(randomBytes(10 * idsPerDraw))
      used = 0
    }
    const random = pool.subarray(used, used + 10)
    used += 10
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
