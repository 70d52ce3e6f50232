import { keccak_256 } from "@noble/hashes/sha3.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import { createBase58check } from "@scure/base"
import { BIP32Factory, type BIP32Interface } from "bip32"
import { Result } from "effect"
import * as ecc from "tiny-secp256k1"
import { fromEvmHex } from "./TronAddress.ts"

const base58check = createBase58check(sha256)
const bip32 = BIP32Factory(ecc)

const publicVersion = 0x0488b21e
const keyBytes = 78
const depthAt = 4
const childAt = 9
const accountDepth = 3
const hardened = 0x8000_0000

/** Why a text is no account's key: what to tell the caller, and which of the two rules it broke. */
export interface XpubRefusal {
  readonly code: "xpub_invalid" | "xpub_not_depth_3"
  readonly message: string
}

/** An account's extended public key that was checked, from which addresses can be derived. */
export interface AccountXpub {
  /** The key as it was given. Base58 has one spelling, so this is canonical. */
  readonly text: string
}

/** The base58 form of the address that a compressed public key has. */
/** The canonical address of a compressed public key. */
export const addressOf = (publicKey: Uint8Array): string =>
  fromEvmHex(bytesToHex(keccak_256(ecc.pointCompress(publicKey, false).subarray(1)).subarray(-20)))

const refuse = (message: string, code: XpubRefusal["code"] = "xpub_invalid"): Result.Result<never, XpubRefusal> =>
  Result.fail({ code, message })

/**
 * Checks an account's extended public key, `m/44'/195'/account'`; else says why it is none.
 *
 * **Details**
 *
 * Refused: private keys, a wrong checksum, the versions of other networks (tpub, ypub, zpub …), points that are not on the curve,
 * and any depth but that of an account, because from another depth other addresses would be derived than those that the owner's
 * wallet shows.
 *
 * **Gotchas**
 *
 * The key does not say its coin type: an account key of another coin reads the same and gives addresses that no wallet of the
 * owner shows. Show the first address and let the owner compare.
 */
export const parseXpub = (text: string): Result.Result<AccountXpub, XpubRefusal> => {
  if (/^[a-zA-Z]prv/u.test(text)) {
    return refuse("This is an extended private key. Never give it to anyone; send the account's extended public key.")
  }
  const bytes = Result.getOrUndefined(Result.try(() => base58check.decode(text)))
  if (bytes?.length !== keyBytes) {
    return refuse("This is not an extended public key: its characters, its length or its checksum are wrong.")
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint32(0) !== publicVersion) {
    return refuse("This is not an extended public key of tron: one that begins with xpub is expected.")
  }
  const depth = view.getUint8(depthAt)
  if (depth !== accountDepth) {
    return refuse(
      `The key is at depth ${depth}: the account's key, at depth ${accountDepth}, is expected.`,
      "xpub_not_depth_3"
    )
  }
  if (view.getUint32(childAt) < hardened) {
    return refuse("The last step to the key is not hardened: the account's key (m/44'/195'/0') is expected.")
  }
  const point = Result.getOrUndefined(Result.try(() => bip32.fromBase58(text)))
  return point === undefined ? refuse("The key holds no point of the curve.") : Result.succeed({ text })
}

/** The keys under `0` of the accounts used last: deriving it again would double the work for every address. */
const receiving = new Map<string, BIP32Interface>()
const receivingMax = 64

const receivingOf = ({ text }: AccountXpub): BIP32Interface => {
  const known = receiving.get(text)
  if (known !== undefined) return known
  const found = bip32.fromBase58(text).derive(0)
  const oldest = receiving.keys().next()
  if (receiving.size >= receivingMax && oldest.done !== true) receiving.delete(oldest.value)
  receiving.set(text, found)
  return found
}

const indexMax = 0x7fff_ffff

/** The address at `0/index` below an account. Throws when the index is no whole number below 2^31. */
export const deriveAddress = (xpub: AccountXpub, index: number): string => {
  if (!Number.isSafeInteger(index) || index < 0 || index > indexMax) throw new Error(`${index} is not an index`)
  return addressOf(receivingOf(xpub).derive(index).publicKey)
}
