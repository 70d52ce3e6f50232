import { crypto, initEccLib, networks, payments, Psbt, type Transaction } from "bitcoinjs-lib"
import * as ecc from "tiny-secp256k1"

initEccLib(ecc)

const network = networks.regtest
const privateKey = new Uint8Array(32).fill(0x42)
const publicKey = ecc.pointFromScalar(privateKey, true) ?? new Uint8Array()
const internalPubkey = publicKey.slice(1)
const p2wpkh = payments.p2wpkh({ pubkey: publicKey, network })
const none = new Uint8Array()

/** The output scripts of one key, by how they are locked. */
export const scripts = {
  p2wpkh: p2wpkh.output ?? none,
  p2pkh: payments.p2pkh({ pubkey: publicKey, network }).output ?? none,
  p2sh: payments.p2sh({ redeem: p2wpkh, network }).output ?? none,
  p2tr: payments.p2tr({ internalPubkey, network }).output ?? none
} as const

/** One of {@link scripts}. */
export type Kind = keyof typeof scripts

/** Where the blocks of the recording pay. */
export const ownAddress = p2wpkh.address ?? ""

/** The public key, compressed and not. */
export const publicKeys = {
  compressed: publicKey,
  uncompressed: ecc.pointCompress(publicKey, false)
} as const

/** An output of the key that can be spent. */
export interface Utxo {
  readonly made: Transaction
  readonly vout: number
  readonly kind: Kind
  readonly sequence?: number
}

/** An output to be made. */
export interface Output {
  readonly script: Uint8Array
  readonly value: bigint
}

const signer = { publicKey, sign: (hash: Uint8Array) => ecc.sign(hash, privateKey) }

/** Signs for the output key of P2TR, which is the internal key tweaked by its own hash (BIP 341). */
const taprootSigner = () => {
  const even = publicKey[0] === 3 ? ecc.privateNegate(privateKey) : privateKey
  const key = ecc.privateAdd(even, crypto.taggedHash("TapTweak", internalPubkey)) ?? even
  return {
    publicKey: ecc.pointFromScalar(key, true) ?? none,
    sign: (hash: Uint8Array) => ecc.sign(hash, key),
    // Without randomness, so that a recording made again differs in less.
    signSchnorr: (hash: Uint8Array) => ecc.signSchnorr(hash, key)
  }
}

/** A signed transaction that spends the coins and makes the outputs; what is left is its fee. */
export const signed = (utxos: ReadonlyArray<Utxo>, outputs: ReadonlyArray<Output>, locktime = 0): Transaction => {
  const psbt = new Psbt({ network }).setLocktime(locktime)
  for (const { kind, made, sequence = 0xffff_fffd, vout } of utxos) {
    const value = made.outs[vout]?.value ?? 0n
    psbt.addInput({
      ...{ hash: made.getId(), index: vout, sequence },
      ...(kind === "p2pkh" ? { nonWitnessUtxo: made.toBuffer() } : { witnessUtxo: { script: scripts[kind], value } }),
      ...(kind === "p2sh" ? { redeemScript: scripts.p2wpkh } : {}),
      ...(kind === "p2tr" ? { tapInternalKey: internalPubkey } : {})
    })
  }
  for (const output of outputs) psbt.addOutput(output)
  for (const [input, { kind }] of utxos.entries()) psbt.signInput(input, kind === "p2tr" ? taprootSigner() : signer)
  return psbt.finalizeAllInputs().extractTransaction(true)
}

/** A transaction that gives what the coins hold, less a fee, to one script. */
export const paying = (utxos: ReadonlyArray<Utxo>, fee: bigint, script = scripts.p2wpkh, locktime = 0): Transaction => {
  const held = utxos.reduce((sum, { made, vout }) => sum + (made.outs[vout]?.value ?? 0n), 0n)
  return signed(utxos, [{ script, value: held - fee }], locktime)
}

/** An output of a transaction as a coin. */
export const utxo = (made: Transaction, vout: number, kind: Utxo["kind"] = "p2wpkh"): Utxo => ({ made, vout, kind })

/** Hexadecimal of bytes. */
export const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

/** Bytes of hexadecimal. */
export const hex = (text: string) => Uint8Array.from(Buffer.from(text, "hex"))
