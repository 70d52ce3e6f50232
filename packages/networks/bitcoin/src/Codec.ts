import { crypto, script as codes, Transaction } from "bitcoinjs-lib"
import { Result } from "effect"
import { isPoint, verify } from "tiny-secp256k1"
import { type BitcoinLimits, feeCap, feeRateMaxDefault, weightMax } from "./internal/build/Limits.ts"
import { type PsbtInput, readPsbt, scriptCodeOf, type UnsignedPsbt } from "./internal/build/UnsignedPsbt.ts"
import { decodeTransaction } from "./internal/build/SignedTransaction.ts"
import { sameBytes } from "./internal/rpc/scriptOfAddress.ts"
import { addressOfScript } from "./Address.ts"
import { utxoSizes, scriptTypeOf } from "./internal/plan/UtxoSizes.ts"
import type { Utxo } from "@bursar/core/port/Utxo"
import type {
  Payment,
  TransactionContent,
  TransactionFormat,
  TransactionSignature
} from "@bursar/core/port/ChainSender"

/** What the format of bitcoin's transactions needs to know. The chain, and the cap on fees: the sender must have the same. */
export type BitcoinCodecOptions = BitcoinLimits

/** The signature and the key at their largest, and their lengths. */
const unlockBytes = 108

/** A transaction with all that it costs and gives. */
interface Understood extends UnsignedPsbt {
  readonly payments: ReadonlyArray<Payment>
  readonly fee: bigint
}

const fail = (words: string): Result.Result<never, string> => Result.fail(words)

/** What it will weigh with its signatures, at most. */
const weightOf = ({ inputs, transaction }: UnsignedPsbt): number => {
  const plain = 4 * transaction.byteLength(false)
  return inputs.reduce((sum, { kind, redeem }) => {
    if (kind === "p2pkh") return sum + 4 * unlockBytes + 1
    return sum + unlockBytes + 4 * (redeem.length === 0 ? 0 : redeem.length + 1)
  }, plain + 2)
}

const payments = (
  { chain }: BitcoinCodecOptions,
  transaction: Transaction
): Result.Result<ReadonlyArray<Payment>, string> => {
  const found: Array<Payment> = []
  for (const [vout, { script, value }] of transaction.outs.entries()) {
    const to = addressOfScript(chain, script)
    if (to === null) return fail(`output ${vout} pays no address`)
    if (value < utxoSizes.dust[scriptTypeOf(to)]) return fail(`output ${vout} is dust`)
    found.push({ to, contract: null, units: value, memo: null })
  }
  return Result.succeed(found)
}

const understand = (options: BitcoinCodecOptions, bytes: Uint8Array): Result.Result<Understood, string> =>
  Result.flatMap(readPsbt(options.chain, bytes), (psbt) =>
    Result.flatMap(payments(options, psbt.transaction), (paid) => {
      const spent = psbt.inputs.reduce((sum, { units }) => sum + units, 0n)
      const fee = spent - paid.reduce((sum, { units }) => sum + units, 0n)
      if (fee < 0n) return fail("it pays more than it spends")
      const weight = weightOf(psbt)
      if (weight > weightMax) return fail(`it weighs ${weight}, more than nodes relay`)
      const { feeRateMax = feeRateMaxDefault } = options
      const feeMax = feeCap(feeRateMax, BigInt(Math.ceil(weight / 4)))
      if (fee > feeMax) return fail(`it pays a fee of ${fee} satoshi; the cap for its size is ${feeMax}`)
      return Result.succeed({ ...psbt, payments: paid, fee })
    })
  )

const utxosOf = (inputs: ReadonlyArray<PsbtInput>, transaction: Transaction): ReadonlyArray<Utxo> =>
  inputs.flatMap(({ address, units }, at) => {
    const input = transaction.ins[at]
    if (input === undefined) return []
    return [{ txHash: Buffer.from(input.hash.toReversed()).toString("hex"), vout: input.index, units, address }]
  })

const digestOf = (transaction: Transaction, { kind, scriptCode, units }: PsbtInput, index: number): Uint8Array =>
  kind === "p2pkh"
    ? transaction.hashForSignature(index, scriptCode, Transaction.SIGHASH_ALL)
    : transaction.hashForWitnessV0(index, scriptCode, units, Transaction.SIGHASH_ALL)

const isSignedBy = (digest: Uint8Array, { bytes, publicKey }: TransactionSignature): boolean => {
  try {
    // Strict: nodes relay the lower S alone.
    return verify(digest, publicKey, bytes, true)
  } catch {
    return false
  }
}

/** Why a signature does not unlock an input, or undefined. */
const fault = (input: PsbtInput, digest: Uint8Array, signature: TransactionSignature): string | undefined => {
  const { bytes, publicKey } = signature
  if (publicKey.length !== 33 || !isPoint(publicKey)) return "the public key is no compressed point of the curve"
  if (!sameBytes(scriptCodeOf(crypto.hash160(publicKey)), input.scriptCode)) {
    return `the public key is not that of ${input.address}`
  }
  if (bytes.length !== 64) return "the signature has not 64 bytes"
  return isSignedBy(digest, signature)
    ? undefined
    : `the signature is not one of ${input.address} over this transaction`
}

const unlock = (transaction: Transaction, index: number, input: PsbtInput, signature: TransactionSignature): void => {
  const encoded = codes.signature.encode(signature.bytes, Transaction.SIGHASH_ALL)
  if (input.kind === "p2pkh") {
    transaction.setInputScript(index, codes.compile([encoded, signature.publicKey]))
    return
  }
  if (input.kind === "p2sh-p2wpkh") transaction.setInputScript(index, codes.compile([input.redeem]))
  transaction.setWitness(index, [encoded, signature.publicKey])
}

/**
 * How transactions of bitcoin are written before they are signed: as a PSBT (BIP 174), in one spelling. Pure.
 *
 * **Details**
 *
 * `read` takes a transaction of version 2 without lock time, whose inputs are P2WPKH, P2SH-P2WPKH or P2PKH and signal that they may be
 * replaced, whose outputs all pay addresses of the chain and no dust, and whose fee is within the cap. Everything is signed with
 * SIGHASH_ALL. Amounts of segwit inputs are covered by their signatures: where one is a lie, the signature is worth nothing. P2PKH
 * inputs come with the transaction that they spend. `finish` verifies every signature and gives the bytes for nodes.
 *
 * **Gotchas**
 *
 * Signatures of one transaction are good together even where each was given for another order, which lied of the other segwit inputs. A
 * signer remembers by which order it has signed a transaction.
 *
 * An address of the change looks like any other: whoever asks for a signature compares the payments with what was ordered.
 */
export const bitcoinCodec = (options: BitcoinCodecOptions): TransactionFormat => ({
  network: "bitcoin",
  read: (unsigned) =>
    Result.map(understand(options, unsigned), ({ fee, inputs, payments: paid, transaction }): TransactionContent => ({
      payments: paid,
      feeMax: fee,
      digests: inputs.map((input, index) => ({ address: input.address, digest: digestOf(transaction, input, index) })),
      guard: { _tag: "Utxos", utxos: utxosOf(inputs, transaction) },
      validUntil: null
    })),
  readSigned: (raw) => {
    const transaction = decodeTransaction(raw)
    return transaction === undefined
      ? fail("these bytes are no transaction of bitcoin")
      : Result.map(payments(options, transaction), (paid) => ({ payments: paid }))
  },
  finish: (unsigned, signatures) =>
    Result.flatMap(understand(options, unsigned), ({ inputs, transaction }) => {
      if (signatures.length !== inputs.length) {
        return fail(`${inputs.length} signatures are needed, ${signatures.length} were given`)
      }
      const signed = transaction.clone()
      for (const [index, input] of inputs.entries()) {
        const signature = signatures[index]
        if (signature === undefined) return fail(`input ${index} has no signature`)
        const wrong = fault(input, digestOf(transaction, input, index), signature)
        if (wrong !== undefined) return fail(`input ${index}: ${wrong}`)
        unlock(signed, index, input, signature)
      }
      return Result.succeed({ hash: signed.getId(), raw: signed.toBuffer() })
    })
})
