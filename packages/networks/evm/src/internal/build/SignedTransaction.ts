import { Result } from "effect"
import * as ecc from "tiny-secp256k1"
import { bytesToHex, hexToBytes, keccak256, parseTransaction, serializeTransaction } from "viem"
import { addressOfPublicKey } from "../../Keys.ts"
import { digestOf, type Draft, draftOf, type Hex, serializable } from "./Draft.ts"

/** A signed transaction of type 2 with the payer that its signature tells. */
export interface SignedTransaction {
  /** In lower case. */
  readonly hash: string
  readonly draft: Draft
}

/** 64 bytes, `r` then `s`, and which of two points was meant. */
interface Signature {
  readonly bytes: Uint8Array
  readonly yParity: 0 | 1
}

const hexOf = (bytes: Uint8Array): Hex => bytesToHex(bytes)

/** A transaction with its signature, as it is broadcast, and its hash. */
export const encodeSigned = (
  draft: Draft,
  { bytes, yParity }: Signature
): { readonly hash: string; readonly raw: Uint8Array } => {
  const r = hexOf(bytes.subarray(0, 32))
  const s = hexOf(bytes.subarray(32))
  const raw = hexToBytes(serializeTransaction(serializable(draft), { r, s, yParity }))
  return { hash: keccak256(raw), raw }
}

/** The public key that made a signature, compressed or not, or undefined where it is none. */
export const keyOf = (digest: Uint8Array, { bytes, yParity }: Signature, compressed: boolean): Uint8Array | undefined =>
  Result.getOrUndefined(Result.try(() => ecc.recover(digest, bytes, yParity, compressed) ?? undefined))

/** The address of the key that made a signature, or undefined where it is none. */
export const signerOf = (digest: Uint8Array, signature: Signature): string | undefined => {
  const publicKey = keyOf(digest, signature, true)
  return publicKey && addressOfPublicKey(publicKey)
}

const wordOf = (quantity: Hex): string => quantity.slice(2).padStart(64, "0")

/** A signed transaction as its bytes say it. Who signed it is not told yet: that takes as long as a signature does. */
export interface UnownedTransaction {
  /** In lower case. */
  readonly hash: string
  readonly draft: Omit<Draft, "from">
  readonly signature: Signature
}

/** Reads a signed transaction of type 2; else says why it is none. */
export const readUnowned = (raw: Uint8Array): Result.Result<UnownedTransaction, string> =>
  Result.gen(function* () {
    const text = bytesToHex(raw)
    if (!text.startsWith("0x02")) return yield* Result.fail("It is no transaction of type 2.")
    const parsed = yield* Result.try({
      try: () => parseTransaction(text as `0x02${string}`),
      catch: () => "These bytes cannot be read as a transaction."
    })
    const { r, s, yParity } = parsed
    if (r === undefined || s === undefined || (yParity !== 0 && yParity !== 1)) {
      return yield* Result.fail("It is not signed.")
    }
    const { from: _, ...draft } = yield* draftOf("", parsed)
    const bytes = hexToBytes(`0x${wordOf(r)}${wordOf(s)}`)
    return { hash: keccak256(raw), draft, signature: { bytes, yParity } }
  })

/** Who signed a transaction; undefined where its signature is none. */
export const payerOf = ({ draft, signature }: UnownedTransaction): string | undefined =>
  signerOf(digestOf(draft), signature)

/** Reads a signed transaction of type 2 and who signed it; else says why it is none. */
export const decodeSigned = (raw: Uint8Array): Result.Result<SignedTransaction, string> =>
  Result.flatMap(readUnowned(raw), (unowned) => {
    const from = payerOf(unowned)
    return from === undefined
      ? Result.fail("Its signature is not valid.")
      : Result.succeed({ hash: unowned.hash, draft: { ...unowned.draft, from } })
  })
