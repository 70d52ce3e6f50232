import type { KeyName } from "../engine/Directory.ts"

/** The key with these 20 bytes of its keccak hash, in hexadecimal: EVM networks and tron write the same ones. */
export const keccakKey = (hex: string): KeyName => `keccak:${hex.toLowerCase()}`

/** The key behind an address of an EVM network. */
export const evmKey = (address: string): KeyName => keccakKey(address.slice(2))

/** The key with this hash160 in hexadecimal: of bitcoin's P2PKH and P2WPKH. */
export const hash160Key = (hex: string): KeyName => `hash160:${hex}`

/** The script with this hash in hexadecimal, P2SH or P2WSH: where a key's segwit form within P2SH is meant, its key. */
export const scriptKey = (hex: string): KeyName => `script:${hex}`

/** The key with this tweaked x coordinate in hexadecimal: of bitcoin's P2TR. */
export const taprootKey = (hex: string): KeyName => `taproot:${hex}`

/** The key of an account of stellar, which its muxed accounts are parts of. */
export const stellarKey = (account: string): KeyName => `ed25519:${account}`

const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
const extendedKeyBytes = 82
const chainCodeAt = 13
const checksumAt = 78

/**
 * The account with this extended public key, whatever its prefix says of networks and scripts: its chain code and its point. On
 * stellar it is the one key of the account.
 */
export const accountKeyName = (canonical: string): KeyName => {
  if (canonical.startsWith("G")) return stellarKey(canonical)
  let value = 0n
  for (const letter of canonical) {
    const digit = alphabet.indexOf(letter)
    if (digit < 0) return `account:${canonical}`
    value = value * 58n + BigInt(digit)
  }
  const hex = value.toString(16).padStart(2 * extendedKeyBytes, "0")
  return `account:${hex.length === 2 * extendedKeyBytes ? hex.slice(2 * chainCodeAt, 2 * checksumAt) : canonical}`
}
