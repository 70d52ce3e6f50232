import { scriptOf } from "@bursar/simulator-bitcoin/scripts"
import { Psbt, Transaction } from "bitcoinjs-lib"

/** An output that is spent, with what is said of it: of a public key's hash. */
export interface Spent {
  readonly txHash: string
  readonly vout: number
  readonly units: bigint
  readonly address: string
}

/** Signals that it may be replaced. */
const sequence = 0xffff_fffd

const scriptAt = (address: string): Uint8Array => {
  const script = scriptOf(address)
  if (script === undefined) throw new Error(`${address} is no address`)
  return script
}

/** The bytes of a transaction that waits for its signatures, whatever is said of what it spends. */
export const writeUnsigned = (
  spent: ReadonlyArray<Spent>,
  paid: ReadonlyArray<{ readonly to: string; readonly units: bigint }>
): Uint8Array => {
  const psbt = new Psbt()
  psbt.setVersion(2)
  for (const { address, txHash, units, vout } of spent)
    psbt.addInput({ hash: txHash, index: vout, sequence, witnessUtxo: { script: scriptAt(address), value: units } })
  for (const { to, units } of paid) psbt.addOutput({ script: scriptAt(to), value: units })
  return psbt.toBuffer()
}

/** The first of some signings of the same transaction, with the signature of each input taken from the one in its place. In hexadecimal. */
export const joinSigned = ([first = new Uint8Array(), ...others]: ReadonlyArray<Uint8Array>): string => {
  const joined = Transaction.fromBuffer(Uint8Array.from(first))
  for (const [at, raw] of others.entries()) {
    const input = Transaction.fromBuffer(Uint8Array.from(raw)).ins[at + 1]
    if (input !== undefined) joined.setWitness(at + 1, input.witness)
  }
  return joined.toHex()
}
