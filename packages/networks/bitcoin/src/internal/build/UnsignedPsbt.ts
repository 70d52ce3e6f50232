import { crypto, Psbt, type Transaction } from "bitcoinjs-lib"
import { Result } from "effect"
import { addressOfScript } from "../../Address.ts"
import type { BitcoinChainName } from "../facts.ts"
import { sameBytes } from "../rpc/scriptOfAddress.ts"
import { decodeTransaction } from "./SignedTransaction.ts"
import { sequenceReplaceable, transactionVersion } from "./Limits.ts"

/** An input that can be signed: what it spends, and how. */
export interface PsbtInput {
  readonly kind: "p2wpkh" | "p2sh-p2wpkh" | "p2pkh"
  /** Whose key signs. */
  readonly address: string
  readonly units: bigint
  /** What is executed: the script of P2PKH, in P2SH-P2WPKH and P2WPKH that of the key's hash. */
  readonly scriptCode: Uint8Array
  /** The script within P2SH; empty for others. */
  readonly redeem: Uint8Array
}

/** A transaction that waits for its signatures, read from the bytes of a PSBT. */
export interface UnsignedPsbt {
  readonly transaction: Transaction
  readonly inputs: ReadonlyArray<PsbtInput>
}

/** The script that a key's hash stands for when it is signed (BIP 143). */
export const scriptCodeOf = (keyHash: Uint8Array): Uint8Array => Uint8Array.of(0x76, 0xa9, 0x14, ...keyHash, 0x88, 0xac)

const isProgram = (script: Uint8Array): boolean => script.length === 22 && script[0] === 0 && script[1] === 0x14

const fail = (words: string): Result.Result<never, string> => Result.fail(words)

/** The names of what a part of the PSBT holds. */
const fieldsOf = (part: object): string => Object.keys(part).toSorted().join()

/** What a previous transaction gave, if it is the one that is spent. */
const outputOf = (bytes: Uint8Array, txid: Uint8Array, vout: number) => {
  const transaction = decodeTransaction(bytes)
  // A witness is not covered by the id, and nothing here needs it.
  if (transaction === undefined || transaction.hasWitnesses() || !sameBytes(transaction.getHash(), txid))
    return undefined
  return transaction.outs[vout]
}

const readInput = (
  chain: BitcoinChainName,
  psbt: Psbt,
  transaction: Transaction,
  index: number
): Result.Result<PsbtInput, string> => {
  const spent = transaction.ins[index]
  const given = psbt.data.inputs[index]
  if (spent === undefined || given === undefined) return fail(`input ${index} is not described`)
  if (spent.sequence !== sequenceReplaceable) return fail(`input ${index} does not signal that it may be replaced`)
  const fields = fieldsOf(given)
  const { nonWitnessUtxo, redeemScript, witnessUtxo } = given
  if (fields === "nonWitnessUtxo" && nonWitnessUtxo !== undefined) {
    const output = outputOf(nonWitnessUtxo, spent.hash, spent.index)
    if (output === undefined) return fail(`input ${index} does not come with the transaction that it spends`)
    const address = addressOfScript(chain, output.script)
    if (address === null || output.script.length !== 25) return fail(`input ${index} spends no P2PKH output`)
    const { script: scriptCode, value: units } = output
    return Result.succeed({ kind: "p2pkh", address, units, scriptCode, redeem: new Uint8Array() })
  }
  if (witnessUtxo === undefined) return fail(`input ${index} holds ${fields || "nothing"}, which is not understood`)
  const address = addressOfScript(chain, witnessUtxo.script)
  const { value: units } = witnessUtxo
  if (address === null) return fail(`input ${index} spends what has no address`)
  if (fields === "witnessUtxo" && isProgram(witnessUtxo.script)) {
    const scriptCode = scriptCodeOf(witnessUtxo.script.subarray(2))
    return Result.succeed({ kind: "p2wpkh", address, units, scriptCode, redeem: new Uint8Array() })
  }
  if (fields !== "redeemScript,witnessUtxo" || redeemScript === undefined) {
    return fail(`input ${index} spends an output of a kind that is not signed here, with ${fields}`)
  }
  const nested =
    isProgram(redeemScript) &&
    sameBytes(witnessUtxo.script, Uint8Array.of(0xa9, 0x14, ...crypto.hash160(redeemScript), 0x87))
  if (!nested) return fail(`input ${index} spends an output of P2SH that holds no P2WPKH of this script`)
  const scriptCode = scriptCodeOf(redeemScript.subarray(2))
  return Result.succeed({ kind: "p2sh-p2wpkh", address, units, scriptCode, redeem: redeemScript })
}

const decode = (bytes: Uint8Array): Psbt | undefined => {
  try {
    const psbt = Psbt.fromBuffer(Uint8Array.from(bytes))
    // One spelling: whatever the reader passed over is missed here.
    return sameBytes(psbt.toBuffer(), bytes) ? psbt : undefined
  } catch {
    return undefined
  }
}

/** Reads a PSBT that {@link writePsbt} could have written; says why it is none. */
export const readPsbt = (chain: BitcoinChainName, bytes: Uint8Array): Result.Result<UnsignedPsbt, string> => {
  const psbt = decode(bytes)
  if (psbt === undefined) return fail("these are not the bytes of a PSBT in its one spelling")
  if (fieldsOf(psbt.data.globalMap) !== "unsignedTx") return fail("the PSBT holds more than an unsigned transaction")
  if (psbt.data.outputs.some((output) => fieldsOf(output) !== "")) return fail("an output holds what is not understood")
  const transaction = decodeTransaction(psbt.data.getTransaction())
  if (transaction === undefined) return fail("the PSBT holds no transaction")
  if (transaction.version !== transactionVersion) return fail(`the version is ${transaction.version}`)
  if (transaction.locktime !== 0) return fail("the transaction is locked until later")
  if (transaction.ins.length === 0 || transaction.outs.length === 0) return fail("it spends nothing or pays nothing")
  const inputs = transaction.ins.map((_, index) => readInput(chain, psbt, transaction, index))
  return Result.map(Result.all(inputs), (read) => ({ transaction, inputs: read }))
}

/** What is to be spent, and what has to be known for its signature. */
export interface SpentOutput {
  readonly txHash: string
  readonly vout: number
  readonly units: bigint
  readonly script: Uint8Array
  /** The script within P2SH. */
  readonly redeem: Uint8Array | undefined
  /** The transaction that made it, without its witness: for P2PKH, whose signature covers no amount. */
  readonly previous: Uint8Array | undefined
}

/** The PSBT of a transaction, its inputs and outputs in the order given. */
export const writePsbt = (
  spent: ReadonlyArray<SpentOutput>,
  outputs: ReadonlyArray<{ readonly script: Uint8Array; readonly units: bigint }>
): Uint8Array => {
  const psbt = new Psbt()
  psbt.setVersion(transactionVersion)
  for (const { previous, redeem, script, txHash, units, vout } of spent) {
    const utxo = { hash: txHash, index: vout, sequence: sequenceReplaceable }
    if (previous !== undefined) psbt.addInput({ ...utxo, nonWitnessUtxo: previous })
    else {
      const witnessUtxo = { script, value: units }
      psbt.addInput(redeem === undefined ? { ...utxo, witnessUtxo } : { ...utxo, witnessUtxo, redeemScript: redeem })
    }
  }
  for (const { script, units } of outputs) psbt.addOutput({ script, value: units })
  return psbt.toBuffer()
}
