import { type KeyName } from "@bursar/core/engine/Directory"
import { address as codec, crypto } from "bitcoinjs-lib"
import { pointCompress, xOnlyPointAddTweak } from "tiny-secp256k1"
import { type BitcoinChainName, facts } from "../facts.ts"

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

// These names are stored: they must never change.

/** The key with this hash160 in hexadecimal: of P2PKH and P2WPKH. */
const hash160Key = (hash: string): KeyName => `hash160:${hash}`

/** The script with this hash in hexadecimal, P2SH or P2WSH: where a key's segwit form within P2SH is meant, its key. */
const scriptKey = (hash: string): KeyName => `script:${hash}`

/** The key with this tweaked x coordinate in hexadecimal: of P2TR. */
const taprootKey = (x: string): KeyName => `taproot:${x}`

/** A key that is known by its hash is good for the segwit form within P2SH as well. */
const namesOfHash = (hash160: Uint8Array): ReadonlyArray<KeyName> => [
  hash160Key(hex(hash160)),
  scriptKey(hex(crypto.hash160(Uint8Array.of(0x00, 0x14, ...hash160))))
]

/** The output key of BIP 86: the key alone, without scripts. Undefined for one in 2^128. */
const taprootOf = (publicKey: Uint8Array): Uint8Array | undefined => {
  const internal = publicKey.subarray(1, 33)
  return xOnlyPointAddTweak(internal, crypto.taggedHash("TapTweak", internal))?.xOnlyPubkey
}

/**
 * The names of the key behind a canonical address: those that its text tells. Of P2SH and P2WSH it is the script's, which may be a
 * key's or many keys'.
 */
export const keyNamesOfAddress = (chain: BitcoinChainName, address: string): ReadonlyArray<KeyName> => {
  const { bech32, pubKeyHash } = facts[chain]
  if (!address.startsWith(`${bech32}1`)) {
    const { hash, version } = codec.fromBase58Check(address)
    return version === pubKeyHash ? namesOfHash(hash) : [scriptKey(hex(hash))]
  }
  const { data, version } = codec.fromBech32(address)
  if (version === 1) return [taprootKey(hex(data))]
  return data.length === 20 ? namesOfHash(data) : [scriptKey(hex(data))]
}

/**
 * The names of a compressed public key in all forms of its addresses: P2PKH (written with compression or without), P2WPKH, P2WPKH
 * within P2SH, and P2TR.
 */
export const keyNamesOfPublicKey = (publicKey: Uint8Array): ReadonlyArray<KeyName> => {
  const taproot = taprootOf(publicKey)
  return [
    ...namesOfHash(crypto.hash160(publicKey)),
    hash160Key(hex(crypto.hash160(pointCompress(publicKey, false)))),
    ...(taproot === undefined ? [] : [taprootKey(hex(taproot))])
  ]
}
