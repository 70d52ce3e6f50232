/** The parts of an API key `<prefix>_<live|test>_<id>_<secret><checksum>`. */
export interface KeyParts {
  readonly prefix: string
  readonly environment: "live" | "test"
  readonly id: string
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const pattern = /^([a-z][a-z0-9]{1,15})_(live|test)_([0-9A-Za-z]{8})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/u

/** How many random base-62 characters a key needs: 8 for its id, 43 for its secret. */
export const randomCharacters = 51

const crcTable = Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc >>> 0
})

const crc32 = (text: string): number => {
  let crc = 0xffffffff
  for (let index = 0; index < text.length; index++) {
    crc = (crc >>> 8) ^ (crcTable[(crc ^ text.charCodeAt(index)) & 0xff] ?? 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}

const checksum = (text: string): string => {
  let rest = crc32(text)
  let out = ""
  for (let digit = 0; digit < 6; digit++) {
    out = (alphabet[rest % 62] ?? "0") + out
    rest = Math.floor(rest / 62)
  }
  return out
}

/** Maps random bytes to base 62 without bias: bytes of 248 and more are skipped, so pass about a tenth more than needed. */
export const base62 = (bytes: Uint8Array, length: number): string => {
  let out = ""
  for (const byte of bytes) {
    if (byte < 248) out += alphabet[byte % 62] ?? ""
    if (out.length === length) return out
  }
  throw new Error("not enough random bytes")
}

/** Builds a key from 51 random base-62 characters: its id is the first eight. */
export const formatKey = (prefix: string, environment: "live" | "test", random: string): string => {
  if (random.length !== randomCharacters) throw new Error(`a key takes ${randomCharacters} random characters`)
  const body = `${prefix}_${environment}_${random.slice(0, 8)}_${random.slice(8)}`
  return body + checksum(body)
}

/** Reads a key; undefined where it is not of the form or its checksum is wrong, so junk never reaches storage. */
export const parseKey = (key: string): KeyParts | undefined => {
  const match = pattern.exec(key)
  if (match === null) return undefined
  const [, prefix = "", environment = "", id = ""] = match
  if (checksum(key.slice(0, -6)) !== key.slice(-6)) return undefined
  return { prefix, environment: environment === "live" ? "live" : "test", id }
}

/** What may be shown of a key: everything before its secret. */
export const shownPrefix = (parts: KeyParts): string => `${parts.prefix}_${parts.environment}_${parts.id}`

const shownPattern = /^([a-z][a-z0-9]{1,15})_(live|test)_([0-9A-Za-z]{8})$/u

/** Reads what may be shown of a key; undefined where it is not of the form. */
export const parseShown = (shown: string): KeyParts | undefined => {
  const [, prefix, environment, id] = shownPattern.exec(shown) ?? []
  if (prefix === undefined || id === undefined) return undefined
  return { prefix, environment: environment === "live" ? "live" : "test", id }
}

/** The id of a key of which the shown part is known: all that follows the last underscore. */
export const idOfShown = (shown: string): string => shown.slice(shown.lastIndexOf("_") + 1)
