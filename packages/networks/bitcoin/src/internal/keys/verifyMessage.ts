import { crypto, script, Transaction } from "bitcoinjs-lib"
import { Result } from "effect"
import { recover, verify, verifySchnorr } from "tiny-secp256k1"
import type { BitcoinChainName } from "../facts.ts"
import { publicKeyAddresses } from "../../Address.ts"
import { scriptOfAddress } from "../rpc/scriptOfAddress.ts"
import { legacyDigest, p2wpkhDigest, toSign } from "./messageForms.ts"

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u

/** The stack of a witness: a count, then each item with its length before it. Undefined where bytes are missing or left over. */
const witnessOf = (bytes: Uint8Array): ReadonlyArray<Uint8Array> | undefined => {
  const [count = 0] = bytes
  const items: Array<Uint8Array> = []
  let at = 1
  while (items.length < count) {
    const length = bytes[at]
    // what is signed with one key has items of fewer bytes than take a longer prefix
    if (length === undefined || length > 0xfc || at + 1 + length > bytes.length) return undefined
    items.push(bytes.subarray(at + 1, at + 1 + length))
    at += 1 + length
  }
  return at === bytes.length ? items : undefined
}

const verifyP2wpkh = (
  locking: Uint8Array,
  message: string,
  [signature, publicKey]: ReadonlyArray<Uint8Array>
): boolean => {
  if (signature === undefined || publicKey?.length !== 33) return false
  const program = crypto.hash160(publicKey)
  if (Buffer.compare(locking.subarray(2), program) !== 0) return false
  const { hashType, signature: compact } = script.signature.decode(signature)
  if (hashType !== Transaction.SIGHASH_ALL) return false
  return verify(p2wpkhDigest(program, message), publicKey, compact)
}

const verifyP2tr = (locking: Uint8Array, message: string, [signature]: ReadonlyArray<Uint8Array>): boolean => {
  if (signature === undefined || (signature.length !== 64 && signature.length !== 65)) return false
  const hashType = signature[64] ?? Transaction.SIGHASH_DEFAULT
  if (signature.length === 65 && hashType !== Transaction.SIGHASH_ALL) return false
  const hash = toSign(locking, message).hashForWitnessV1(0, [locking], [0n], hashType)
  return verifySchnorr(hash, locking.subarray(2), signature.subarray(0, 64))
}

const verifySimple = (locking: Uint8Array, message: string, signature: Uint8Array): boolean => {
  const witness = witnessOf(signature)
  if (witness === undefined) return false
  if (locking.length === 22 && locking[0] === 0x00)
    return witness.length === 2 && verifyP2wpkh(locking, message, witness)
  return locking.length === 34 && locking[0] === 0x51 && witness.length === 1 && verifyP2tr(locking, message, witness)
}

const legacyBytes = 65

/** The older form, of which the public key is recovered: of any address of that key (BIP 137 says which; the key decides). */
const verifyLegacy = (chain: BitcoinChainName, address: string, message: string, signature: Uint8Array): boolean => {
  const header = (signature[0] ?? 0) - 27
  // below 4 the key is written without compression, which no segwit address has
  if (header < 4 || header > 15) return false
  const hash = legacyDigest(message)
  if (hash === undefined) return false
  const publicKey = recover(hash, signature.subarray(1), (header & 3) as 0 | 1 | 2 | 3, true) // two bits
  return publicKey !== null && publicKeyAddresses(chain, publicKey).includes(address)
}

/**
 * Whether the key of a canonical address has signed a text: by BIP 322 in its simple form for P2WPKH and P2TR (key path), by the older
 * form with a recoverable signature for the addresses of a compressed key; both in base64.
 */
export const verifyMessage = (
  chain: BitcoinChainName,
  address: string,
  message: string,
  signature: string
): boolean => {
  if (signature.length === 0 || !base64.test(signature)) return false
  const bytes = Buffer.from(signature, "base64")
  return Result.getOrElse(
    Result.try(() =>
      bytes.length === legacyBytes
        ? verifyLegacy(chain, address, message, bytes)
        : verifySimple(Result.getOrThrow(scriptOfAddress(chain, address)), message, bytes)
    ),
    () => false
  )
}
