import { crypto, initEccLib, networks, payments, Psbt } from "bitcoinjs-lib"
import * as ecc from "tiny-secp256k1"
import { makeNode, type Node } from "../src/Node.ts"
import { toTx, type Tx } from "../src/Tx.ts"

initEccLib(ecc)

const network = networks.regtest
const privateKey = new Uint8Array(32).fill(7)
const publicKey = ecc.pointFromScalar(privateKey, true)!
const internalPubkey = publicKey.slice(1)

const p2wpkh = payments.p2wpkh({ pubkey: publicKey, network })
const p2pkh = payments.p2pkh({ pubkey: publicKey, network })
const p2sh = payments.p2sh({ redeem: p2wpkh, network })
const p2tr = payments.p2tr({ internalPubkey, network })
const p2wsh = payments.p2wsh({ redeem: p2pkh, network })

/** The kinds of coins that can be spent on the devnet. */
export const kinds = ["p2wpkh", "p2pkh", "p2sh", "p2tr"] as const

/** One of {@link kinds}. */
export type Kind = (typeof kinds)[number]

/** The scripts of one key. */
export const scripts = {
  p2wpkh: p2wpkh.output!,
  p2pkh: p2pkh.output!,
  p2sh: p2sh.output!,
  p2tr: p2tr.output!,
  p2wsh: p2wsh.output!
} as const

/** The addresses of one key. */
export const addresses = { p2wpkh: p2wpkh.address!, p2pkh: p2pkh.address!, p2sh: p2sh.address!, p2tr: p2tr.address! }

const signer = { publicKey, sign: (hash: Uint8Array) => ecc.sign(hash, privateKey) }

const taprootSigner = () => {
  const even = publicKey[0] === 3 ? ecc.privateNegate(privateKey) : privateKey
  const key = ecc.privateAdd(even, crypto.taggedHash("TapTweak", internalPubkey))!
  return {
    publicKey: ecc.pointFromScalar(key, true)!,
    sign: (hash: Uint8Array) => ecc.sign(hash, key),
    signSchnorr: (hash: Uint8Array) => ecc.signSchnorr(hash, key)
  }
}

/** A coin of the tests. */
export interface TestCoin {
  readonly txid: string
  readonly vout: number
  readonly value: bigint
  readonly kind: Kind
  /** The transaction that made it, which older kinds of inputs need. */
  readonly hex: string
  readonly sequence?: number
}

/** An output to be made. */
export interface TestOutput {
  readonly script: Uint8Array
  readonly value: bigint
}

/** Signs a transaction as any wallet would: with a PSBT. */
export const signed = (coins: ReadonlyArray<TestCoin>, outputs: ReadonlyArray<TestOutput>, locktime = 0): Tx => {
  const psbt = new Psbt({ network }).setLocktime(locktime)
  for (const { hex, kind, sequence = 0xffff_fffd, txid, value, vout } of coins) {
    psbt.addInput({
      ...{ hash: txid, index: vout, sequence },
      ...(kind === "p2pkh"
        ? { nonWitnessUtxo: Uint8Array.from(Buffer.from(hex, "hex")) }
        : { witnessUtxo: { script: scripts[kind], value } }),
      ...(kind === "p2sh" ? { redeemScript: scripts.p2wpkh } : {}),
      ...(kind === "p2tr" ? { tapInternalKey: internalPubkey } : {})
    })
  }
  for (const output of outputs) psbt.addOutput(output)
  coins.forEach(({ kind }, input) => psbt.signInput(input, kind === "p2tr" ? taprootSigner() : signer))
  return toTx(psbt.finalizeAllInputs().extractTransaction(true))
}

/** The time that all tests start at, in seconds. */
export const start = 1_700_000_000

/** A node on which the tests' key has mined, with its mature coins of 50 BTC each. */
export const makeRichNode = (): { readonly node: Node; readonly coins: ReadonlyArray<TestCoin> } => {
  const node = makeNode()
  node.mine(110, scripts.p2wpkh, start)
  const coins = node.chain.active.slice(1, 11).map(({ transactions }) => {
    const [coinbase] = transactions
    return { txid: coinbase!.txid, vout: 0, value: 5_000_000_000n, kind: "p2wpkh" as const, hex: coinbase!.hex }
  })
  return { node, coins }
}

/** An output of a transaction as a coin. */
export const coinOf = (tx: Tx, vout: number, kind: Kind): TestCoin => ({
  txid: tx.txid,
  vout,
  value: tx.transaction.outs[vout]!.value,
  kind,
  hex: tx.hex
})
