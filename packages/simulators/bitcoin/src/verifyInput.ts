import { crypto, script as codes, Transaction } from "bitcoinjs-lib"
import { verify, verifySchnorr } from "tiny-secp256k1"
import { sameBytes } from "./bytes.ts"
import type { Coin } from "./ChainState.ts"
import { kindOf } from "./scripts.ts"

const badSignature = "Signature must be zero for failed CHECK(MULTI)SIG operation"
const badSchnorr = "Invalid Schnorr signature"
const wrongHash = "Script failed an OP_EQUALVERIFY operation"

/** What a node that runs scripts could verify, and this one cannot. */
const beyond = (what: string) => `this node does not run scripts: ${what} cannot be spent here`

const sighashKinds: ReadonlySet<number> = new Set([0x01, 0x02, 0x03, 0x81, 0x82, 0x83])

/** Whether a check succeeds; the library throws on keys that are no points and signatures out of range. */
const holds = (check: () => boolean): boolean => {
  try {
    return check()
  } catch {
    return false
  }
}

const p2pkh = (hash: Uint8Array): Uint8Array => Uint8Array.of(0x76, 0xa9, 0x14, ...hash, 0x88, 0xac)

/** Verifies an ECDSA signature with its hash type: strict DER (BIP 66), a low S (BIP 146), a known hash type. */
const checkEcdsa = (
  signature: Uint8Array,
  key: Uint8Array,
  hashOf: (hashType: number) => Uint8Array
): string | undefined => {
  if (!codes.isCanonicalScriptSignature(signature)) return "Non-canonical DER signature"
  const decoded = codes.signature.decode(signature)
  if (!sighashKinds.has(decoded.hashType)) return "Signature hash type missing or not understood"
  return holds(() => verify(hashOf(decoded.hashType), key, decoded.signature, true)) ? undefined : badSignature
}

const pushes = (script: Uint8Array): ReadonlyArray<Uint8Array> | undefined => {
  const chunks = codes.decompile(script)
  return chunks?.every((chunk) => typeof chunk === "object") ? chunks : undefined
}

const keyHash = (transaction: Transaction, input: number, hash: Uint8Array, value: bigint): string | undefined => {
  const [signature, key, ...rest] = transaction.ins[input]?.witness ?? []
  if (signature === undefined || key === undefined || rest.length > 0) return "Witness program hash mismatch"
  if (!sameBytes(crypto.hash160(key), hash)) return wrongHash
  if (key.length !== 33) return "Using non-compressed keys in segwit"
  return checkEcdsa(signature, key, (hashType) => transaction.hashForWitnessV0(input, p2pkh(hash), value, hashType))
}

const legacy = (transaction: Transaction, input: number, coin: Coin): string | undefined => {
  const [signature, key, ...rest] = pushes(transaction.ins[input]?.script ?? new Uint8Array()) ?? []
  if (signature === undefined || key === undefined || rest.length > 0)
    return "Operation not valid with the current stack size"
  if ((transaction.ins[input]?.witness.length ?? 0) > 0) return "Witness provided for non-witness script"
  if (!sameBytes(crypto.hash160(key), coin.script.subarray(3, 23))) return wrongHash
  return checkEcdsa(signature, key, (hashType) => transaction.hashForSignature(input, coin.script, hashType))
}

const nested = (transaction: Transaction, input: number, coin: Coin): string | undefined => {
  const [redeem, ...rest] = pushes(transaction.ins[input]?.script ?? new Uint8Array()) ?? []
  if (redeem === undefined || rest.length > 0) return beyond("P2SH other than P2SH-P2WPKH")
  if (!sameBytes(crypto.hash160(redeem), coin.script.subarray(2, 22)))
    return "Script evaluated without error but finished with a false/empty top stack element"
  return kindOf(redeem) === "witness_v0_keyhash"
    ? keyHash(transaction, input, redeem.subarray(2), coin.value)
    : beyond("P2SH other than P2SH-P2WPKH")
}

const taproot = (transaction: Transaction, input: number, coins: ReadonlyArray<Coin>): string | undefined => {
  const [signature, ...rest] = transaction.ins[input]?.witness ?? []
  const key = coins[input]?.script.subarray(2)
  if (signature === undefined || key === undefined) return "Witness program was passed an empty witness"
  if (rest.length > 0) return beyond("P2TR by a script")
  if (signature.length !== 64 && signature.length !== 65) return "Invalid Schnorr signature size"
  const hashType = signature.length === 65 ? signature[64] : Transaction.SIGHASH_DEFAULT
  const known = hashType !== undefined && (signature.length === 64 || sighashKinds.has(hashType))
  if (!known) return "Invalid Schnorr signature hash type"
  const hash = transaction.hashForWitnessV1(
    input,
    coins.map(({ script }) => script),
    coins.map(({ value }) => value),
    hashType
  )
  return holds(() => verifySchnorr(hash, key, signature.subarray(0, 64))) ? undefined : badSchnorr
}

/**
 * Whether an input may spend its coin; else why not, in the words of Bitcoin Core's script errors.
 *
 * **Details**
 *
 * Signatures of P2WPKH, P2SH-P2WPKH, P2PKH and P2TR by key are verified for real. There is no interpreter of scripts, so
 * anything else (P2WSH, multisig, P2TR by a script) can be paid to, but not spent.
 */
export const verifyInput = (
  transaction: Transaction,
  input: number,
  coins: ReadonlyArray<Coin>
): string | undefined => {
  const coin = coins[input]
  if (coin === undefined) return "the coin is missing"
  const kind = kindOf(coin.script)
  const withoutScript = (transaction.ins[input]?.script.length ?? 0) === 0
  if (kind.startsWith("witness_") && !withoutScript) return "Witness requires empty scriptSig"
  if (kind === "witness_v0_keyhash") return keyHash(transaction, input, coin.script.subarray(2), coin.value)
  if (kind === "witness_v1_taproot") return taproot(transaction, input, coins)
  if (kind === "pubkeyhash") return legacy(transaction, input, coin)
  return kind === "scripthash" ? nested(transaction, input, coin) : beyond(kind)
}
