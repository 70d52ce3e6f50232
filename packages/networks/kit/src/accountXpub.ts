import type { KeyName } from "@bursar/core/engine/Directory"
import type { CheckedXpub, XpubRefused } from "@bursar/core/port/NetworkAdapter"
import { BIP32Factory, type BIP32Interface } from "bip32"
import { Result } from "effect"
import * as ecc from "tiny-secp256k1"

const bip32 = BIP32Factory(ecc)

const base58Letters = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
const extendedKeyBytes = 82
const chainCodeAt = 13
const checksumAt = 78

/**
 * The name of the account with an extended public key, whatever its prefix says of networks and scripts: its chain code and its point.
 * It is stored: it must never change.
 */
export const accountKeyName = (canonical: string): KeyName => {
  let value = 0n
  for (const letter of canonical) {
    const digit = base58Letters.indexOf(letter)
    if (digit < 0) return `account:${canonical}`
    value = value * 58n + BigInt(digit)
  }
  const hex = value.toString(16).padStart(2 * extendedKeyBytes, "0")
  return `account:${hex.length === 2 * extendedKeyBytes ? hex.slice(2 * chainCodeAt, 2 * checksumAt) : canonical}`
}

const accountDepth = 3
const hardened = 0x8000_0000
const indexMax = 0x7fff_ffff
const base58 = /^[1-9A-HJ-NP-Za-km-z]+$/u

/** A network of the bip32 library that knows the version of `xpub` alone. No prefix of private keys is all ones. */
const publicOnly = {
  messagePrefix: "",
  bech32: "",
  wif: 0,
  pubKeyHash: 0,
  scriptHash: 0,
  bip32: { public: 0x0488_b21e, private: 0xffff_ffff }
}

/** How many accounts are remembered: to derive the key below an account again would double the work for every address. */
const receivingMax = 64

/** How the addresses of a family of networks follow from the extended public key of an account. */
export interface AccountXpubs {
  /**
   * Checks the extended public key of an account; else says why it is none.
   *
   * **Details**
   *
   * It refuses private keys, a wrong checksum, the versions of other networks (tpub, ypub, zpub …), points that are not on the curve,
   * and any depth but that of an account: another depth gives other addresses than the owner's wallet shows.
   *
   * **Gotchas**
   *
   * The key does not say its coin type: the account key of another coin reads the same and gives addresses that no wallet of the owner
   * shows. Show the first address and let the owner compare.
   */
  readonly parseXpub: (text: string) => Result.Result<CheckedXpub, XpubRefused>
  /** The canonical address at `0/index` below an account. Throws where the index is no whole number below 2^31. */
  readonly deriveAddress: (xpub: CheckedXpub, index: number) => string
}

const refuse = (message: string, code: XpubRefused["code"] = "xpub_invalid"): Result.Result<never, XpubRefused> =>
  Result.fail({ code, message })

const parse = (words: { readonly whose: string; readonly path: string }, text: string) => {
  if (/^[a-zA-Z]prv/u.test(text)) {
    return refuse("This is an extended private key. Never give it to anyone; send the account's extended public key.")
  }
  if (!base58.test(text)) {
    return refuse("This is not an extended public key: its characters, its length or its checksum are wrong.")
  }
  if (!text.startsWith("xpub")) {
    return refuse(`This is not an extended public key of ${words.whose}: one that begins with xpub is expected.`)
  }
  const key = Result.getOrUndefined(Result.try(() => bip32.fromBase58(text, publicOnly)))
  if (key === undefined) {
    return refuse("The length or the checksum of the key is wrong, or it holds no point of the curve.")
  }
  if (key.depth !== accountDepth) {
    const expected = `the account's key, at depth ${accountDepth}, is expected`
    return refuse(`The key is at depth ${key.depth}: ${expected}.`, "xpub_not_depth_3")
  }
  if (key.index < hardened) {
    return refuse(`The last step to the key is not hardened: the account's key (${words.path}) is expected.`)
  }
  // Base58 has one spelling, so the text is canonical.
  return Result.succeed({ canonical: text })
}

/** The extended public keys of a family of networks whose addresses follow from keys of secp256k1, each by `addressOf`. */
export const accountXpubs = ({
  addressOf,
  ...words
}: {
  /** Whose key it is, in words, such as "an EVM network". */
  readonly whose: string
  /** The path of an account, such as `m/44'/60'/0'`. */
  readonly path: string
  /** The canonical address of a compressed public key. */
  readonly addressOf: (publicKey: Uint8Array) => string
}): AccountXpubs => {
  const receiving = new Map<string, BIP32Interface>()
  const receivingOf = ({ canonical }: CheckedXpub): BIP32Interface => {
    const known = receiving.get(canonical)
    if (known !== undefined) return known
    const found = bip32.fromBase58(canonical, publicOnly).derive(0)
    const oldest = receiving.keys().next()
    if (receiving.size >= receivingMax && oldest.done !== true) receiving.delete(oldest.value)
    receiving.set(canonical, found)
    return found
  }
  return {
    parseXpub: (text) => parse(words, text),
    deriveAddress: (xpub, index) => {
      if (!Number.isSafeInteger(index) || index < 0 || index > indexMax) throw new Error(`${index} is not an index`)
      return addressOf(receivingOf(xpub).derive(index).publicKey)
    }
  }
}
