import { address as codec, crypto } from "bitcoinjs-lib"
import { Result } from "effect"
import { isXOnlyPoint } from "tiny-secp256k1"
import { type BitcoinChainName, facts } from "./internal/facts.ts"

const charsMax = 90
const base58 = /^[1-9A-HJ-NP-Za-km-z]+$/u
const segwit = /^(bc|tb|bcrt)1[02-9ac-hj-np-z]+$/u

const decode = <A>(run: () => A): A | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}

const fail = (words: string): Result.Result<never, string> => Result.fail(words)

const elsewhere = (chain: BitcoinChainName) =>
  fail(`This is an address of another network: it does not belong to bitcoin's ${chain} chain.`)

const parseSegwit = (chain: BitcoinChainName, lower: string): Result.Result<string, string> => {
  const { bech32 } = facts[chain]
  if (!lower.startsWith(`${bech32}1`)) return elsewhere(chain)
  const found = decode(() => codec.fromBech32(lower))
  if (found === undefined) {
    return fail(
      "The checksum of the address is wrong, or it is of the wrong kind (bech32 for version 0, else bech32m)."
    )
  }
  const { data, version } = found
  if (version === 0) {
    return data.length === 20 || data.length === 32
      ? Result.succeed(lower)
      : fail("A segwit address of version 0 holds 20 or 32 bytes.")
  }
  if (version !== 1 || data.length !== 32) {
    return fail("Addresses of this segwit version cannot be spent safely yet: use one that starts with 1, 3, q or p.")
  }
  return isXOnlyPoint(data)
    ? Result.succeed(lower)
    : fail("The address holds no valid key: nobody could spend from it.")
}

const parseBase58 = (chain: BitcoinChainName, text: string): Result.Result<string, string> => {
  const found = decode(() => codec.fromBase58Check(text))
  if (found === undefined) return fail("The checksum of the address is wrong: a character was mistyped.")
  const { pubKeyHash, scriptHash } = facts[chain]
  return found.version === pubKeyHash || found.version === scriptHash ? Result.succeed(text) : elsewhere(chain)
}

/**
 * The canonical form of an address that may receive, or in words why it is none.
 *
 * **Details**
 *
 * P2PKH and P2SH in base58 with a checksum and the chain's version byte; P2WPKH and P2WSH in bech32, P2TR in bech32m, with the
 * chain's prefix (BIP 173, BIP 350). Segwit addresses may be in upper case and are made lower; mixed case is refused. So
 * are later segwit versions, which anyone could spend today, and P2TR programs that are no point of the curve.
 */
export const parseBitcoinAddress = (chain: BitcoinChainName, text: string): Result.Result<string, string> => {
  if (text.length === 0 || text.length > charsMax) return fail("This is not a bitcoin address.")
  const lower = text.toLowerCase()
  if (segwit.test(lower)) {
    return text === lower || text === text.toUpperCase()
      ? parseSegwit(chain, lower)
      : fail("The address mixes upper and lower case: a character was mistyped.")
  }
  return base58.test(text) ? parseBase58(chain, text) : fail("This is not a bitcoin address.")
}

const matches = (
  script: Uint8Array,
  length: number,
  head: ReadonlyArray<number>,
  tail: ReadonlyArray<number>
): boolean =>
  script.length === length &&
  head.every((byte, index) => script[index] === byte) &&
  tail.every((byte, index) => script[length - tail.length + index] === byte)

/**
 * The address that an output script pays to, null where it has none: bare keys and multisig, OP_RETURN, later segwit versions,
 * anything else. The scripts of addresses have one form each, so they are told by their bytes.
 */
export const addressOfScript = (chain: BitcoinChainName, script: Uint8Array): string | null => {
  const { bech32, pubKeyHash, scriptHash } = facts[chain]
  if (matches(script, 22, [0x00, 0x14], []) || matches(script, 34, [0x00, 0x20], [])) {
    return codec.toBech32(script.subarray(2), 0, bech32)
  }
  if (matches(script, 34, [0x51, 0x20], [])) return codec.toBech32(script.subarray(2), 1, bech32)
  if (matches(script, 25, [0x76, 0xa9, 0x14], [0x88, 0xac]))
    return codec.toBase58Check(script.subarray(3, 23), pubKeyHash)
  if (matches(script, 23, [0xa9, 0x14], [0x87])) return codec.toBase58Check(script.subarray(2, 22), scriptHash)
  return null
}

/**
 * The addresses of a compressed public key on a chain: native segwit, segwit within P2SH, and the old form. Each is spent with
 * the same private key.
 */
export const publicKeyAddresses = (chain: BitcoinChainName, publicKey: Uint8Array): ReadonlyArray<string> => {
  const { bech32, pubKeyHash, scriptHash } = facts[chain]
  const program = crypto.hash160(publicKey)
  return [
    codec.toBech32(program, 0, bech32),
    codec.toBase58Check(crypto.hash160(Uint8Array.of(0x00, 0x14, ...program)), scriptHash),
    codec.toBase58Check(program, pubKeyHash)
  ]
}
