import { createHash } from "node:crypto"

// What these names are is part of a released step: it says what they were then, whatever adapters come to say.

const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
const bech32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

const hash = (algorithm: "sha256" | "ripemd160", bytes: Uint8Array): Buffer =>
  createHash(algorithm).update(bytes).digest()

const ofBase58 = (text: string, bytes: number): Buffer => {
  const value = [...text].reduce((sum, letter) => sum * 58n + BigInt(base58.indexOf(letter)), 0n)
  return Buffer.from(value.toString(16).padStart(2 * bytes, "0"), "hex")
}

/** Digits of five bits as bytes; what is left over is padding or, of a longer text, dropped by whoever asks for fewer. */
const ofDigits = (digits: ReadonlyArray<number>, bytes: number): Buffer => {
  const bits = digits.map((digit) => digit.toString(2).padStart(5, "0")).join("")
  return Buffer.from(Array.from({ length: bytes }, (_, at) => Number.parseInt(bits.slice(8 * at, 8 * at + 8), 2)))
}

const ofHash160 = (program: Buffer): ReadonlyArray<string> => [
  `hash160:${program.toString("hex")}`,
  `script:${hash("ripemd160", hash("sha256", Buffer.concat([Buffer.of(0x00, 0x14), program]))).toString("hex")}`
]

const checksumDigits = 6

const ofBitcoin = (address: string): ReadonlyArray<string> => {
  if (!/^(bc|tb|bcrt)1/u.test(address)) {
    const bytes = ofBase58(address, 25)
    const program = bytes.subarray(1, 21)
    return bytes[0] === 0x00 || bytes[0] === 0x6f ? ofHash160(program) : [`script:${program.toString("hex")}`]
  }
  const [version = 0, ...digits] = [...address.slice(address.lastIndexOf("1") + 1, -checksumDigits)].map((letter) =>
    bech32.indexOf(letter)
  )
  const program = ofDigits(digits, Math.floor((digits.length * 5) / 8))
  if (version === 1) return [`taproot:${program.toString("hex")}`]
  return program.length === 20 ? ofHash160(program) : [`script:${program.toString("hex")}`]
}

/** CRC-16/XMODEM, low byte first: the checksum of stellar's addresses. */
const crc16 = (bytes: Uint8Array): Buffer => {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff
  }
  return Buffer.of(crc & 0xff, crc >> 8)
}

/** The account that a muxed account is a part of. */
const accountOf = (muxed: string): string => {
  const digits = [...muxed].map((letter) => base32.indexOf(letter))
  const account = Buffer.concat([Buffer.of(6 << 3), ofDigits(digits, 33).subarray(1)])
  const bits = [...account, ...crc16(account)].map((byte) => byte.toString(2).padStart(8, "0")).join("")
  return Array.from(
    { length: bits.length / 5 },
    (_, at) => base32[Number.parseInt(bits.slice(5 * at, 5 * at + 5), 2)]
  ).join("")
}

/** The names of the key behind an address of a network. */
export const keyNamesOf = (network: string, address: string): ReadonlyArray<string> => {
  switch (network) {
    case "tron":
      return [`keccak:${ofBase58(address, 25).subarray(1, 21).toString("hex")}`]
    case "bitcoin":
      return ofBitcoin(address)
    case "stellar":
      return [`ed25519:${address.startsWith("M") ? accountOf(address) : address}`]
    default:
      return [`keccak:${address.slice(2).toLowerCase()}`]
  }
}

/** The name of an account: its chain code and its point, on stellar its one key. */
export const accountNameOf = (text: string): string =>
  text.startsWith("G") ? `ed25519:${text}` : `account:${ofBase58(text, 82).subarray(13, 78).toString("hex")}`
