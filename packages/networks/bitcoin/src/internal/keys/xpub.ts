import { type BIP32API, BIP32Factory, type BIP32Interface } from "bip32"
import { address as codec, crypto } from "bitcoinjs-lib"
import { Result } from "effect"
import * as ecc from "tiny-secp256k1"
import { type BitcoinChainName, facts } from "../facts.ts"

/** How the addresses of an account are locked. */
export type ScriptType = "p2wpkh" | "p2sh-p2wpkh"

/** Why a text is no account's key: what to tell the caller, and which of the two rules it broke. */
export interface XpubRefusal {
  readonly code: "xpub_invalid" | "xpub_not_depth_3"
  readonly message: string
}

/** An account's extended public key that was checked, from which addresses can be derived. */
export interface AccountXpub {
  /** The chain whose addresses it gives. */
  readonly chain: BitcoinChainName
  /** The key as it was given. Base58 has one spelling, so this is canonical for the text. */
  readonly text: string
  /**
   * One text per key and script type, whatever prefix the key was given with (SLIP-132: zpub and ypub on the main chain,
   * vpub and upub on the others). Two texts with the same canonical form have the same addresses.
   */
  readonly canonical: string
  readonly scriptType: ScriptType
}

/** The account level: purpose, coin and account are below the seed. */
const depth = 3
const indexMax = 0x7fff_ffff

interface Prefix {
  readonly version: number
  readonly main: boolean
  readonly scriptType: ScriptType
}

/** SLIP-132. An `xpub` does not tell how its addresses are locked; native segwit is what wallets make today. */
const prefixes: Readonly<Record<string, Prefix>> = {
  xpub: { version: 0x0488b21e, main: true, scriptType: "p2wpkh" },
  ypub: { version: 0x049d7cb2, main: true, scriptType: "p2sh-p2wpkh" },
  zpub: { version: 0x04b24746, main: true, scriptType: "p2wpkh" },
  tpub: { version: 0x043587cf, main: false, scriptType: "p2wpkh" },
  upub: { version: 0x044a5262, main: false, scriptType: "p2sh-p2wpkh" },
  vpub: { version: 0x045f1cf6, main: false, scriptType: "p2wpkh" }
}

const canonicalPrefix: Readonly<Record<ScriptType, { readonly main: number; readonly other: number }>> = {
  p2wpkh: { main: 0x04b24746, other: 0x045f1cf6 },
  "p2sh-p2wpkh": { main: 0x049d7cb2, other: 0x044a5262 }
}

const bip32: BIP32API = BIP32Factory(ecc)

/** A network of the bip32 library that knows public keys with one version only. No prefix of private keys is all ones. */
const withVersion = (version: number) => ({
  messagePrefix: "",
  bech32: "",
  wif: 0,
  pubKeyHash: 0,
  scriptHash: 0,
  bip32: { public: version, private: 0xffff_ffff }
})

const read = (text: string, version: number): BIP32Interface | undefined => {
  try {
    return bip32.fromBase58(text, withVersion(version))
  } catch {
    return undefined
  }
}

const fail = (message: string, code: XpubRefusal["code"] = "xpub_invalid"): Result.Result<never, XpubRefusal> =>
  Result.fail({ code, message })

const words = (text: string, chain: BitcoinChainName): string | undefined => {
  if (/^[a-zA-Z]prv/u.test(text)) {
    return "This is an extended private key. Never give it to anyone; send the account's extended public key."
  }
  if (/^[YZUV]pub/u.test(text)) return "Extended keys of multisig accounts are not supported."
  const prefix = prefixes[text.slice(0, 4)]
  if (prefix === undefined) return "This is not an extended public key of bitcoin: xpub, ypub or zpub is expected."
  return !prefix.main && chain === "main"
    ? "This is a key of a test network: xpub, ypub or zpub is expected."
    : undefined
}

/**
 * Checks an account's extended public key for a chain; else says why it is none.
 *
 * **Details**
 *
 * Prefixes: xpub, ypub and zpub everywhere; tpub, upub and vpub on test and regtest only. A zpub, vpub, xpub or tpub gives P2WPKH
 * addresses, a ypub or upub P2SH-P2WPKH. The depth must be 3, the account level (BIP 44, 49, 84). Refused: private keys, a wrong checksum,
 * and points that are not on the curve.
 */
export const parseXpub = (chain: BitcoinChainName, text: string): Result.Result<AccountXpub, XpubRefusal> => {
  const refusal = words(text, chain)
  const prefix = prefixes[text.slice(0, 4)]
  if (refusal !== undefined || prefix === undefined) return fail(refusal ?? "This is not an extended public key.")
  const key = read(text, prefix.version)
  if (key === undefined) return fail("The checksum of the key is wrong, or it holds no point of the curve.")
  if (key.depth !== depth) {
    return fail(
      `The key is at depth ${key.depth}: the account's key, at depth ${depth}, is expected.`,
      "xpub_not_depth_3"
    )
  }
  const version = canonicalPrefix[prefix.scriptType][chain === "main" ? "main" : "other"]
  key.network = withVersion(version)
  return Result.succeed({ chain, text, canonical: key.toBase58(), scriptType: prefix.scriptType })
}

/** The keys under `0` of the accounts used last: deriving it again would double the work for every address. */
const receiving = new Map<string, BIP32Interface>()
const receivingMax = 64

const receivingOf = ({ text }: AccountXpub): BIP32Interface => {
  const known = receiving.get(text)
  if (known !== undefined) return known
  const found = bip32.fromBase58(text, withVersion(prefixes[text.slice(0, 4)]?.version ?? 0)).derive(0)
  const oldest = receiving.keys().next()
  if (receiving.size >= receivingMax && oldest.done !== true) receiving.delete(oldest.value)
  receiving.set(text, found)
  return found
}

/** The public key at `0/index` below an account. Throws when the index is no whole number below 2^31. */
export const derivePublicKey = (xpub: AccountXpub, index: number): Uint8Array => {
  if (!Number.isSafeInteger(index) || index < 0 || index > indexMax) throw new Error(`${index} is not an index`)
  return receivingOf(xpub).derive(index).publicKey
}

/** The address at `0/index` below an account. Throws when the index is no whole number below 2^31. */
export const deriveAddress = (xpub: AccountXpub, index: number): string =>
  addressOfKey(xpub, derivePublicKey(xpub, index))

/** The address that an account gives to one of its public keys. */
export const addressOfKey = (xpub: Pick<AccountXpub, "chain" | "scriptType">, publicKey: Uint8Array): string => {
  const { bech32, scriptHash } = facts[xpub.chain]
  const program = crypto.hash160(publicKey)
  if (xpub.scriptType === "p2wpkh") return codec.toBech32(program, 0, bech32)
  return codec.toBase58Check(crypto.hash160(Uint8Array.of(0x00, 0x14, ...program)), scriptHash)
}
