import { crypto, script as codes, Transaction } from "bitcoinjs-lib"
import { pointFromScalar, sign } from "tiny-secp256k1"
import { fromHex, sameBytes, unshown } from "./bytes.ts"
import type { Coin } from "./ChainState.ts"
import type { Node } from "./Node.ts"
import { addressOf } from "./scripts.ts"
import { toTx, type Tx } from "./Tx.ts"

/** An output to be made. */
export interface Payment {
  readonly script: Uint8Array
  readonly units: bigint
}

/** One key whose P2WPKH coins are found in the chain and spent from there. */
export interface Wallet {
  readonly address: string
  readonly script: Uint8Array
  /** What it could spend now: confirmed, mature, and not spent by what waits. */
  readonly balance: (node: Node) => bigint
  /** Signs a transaction that makes the payments; undefined if the coins do not suffice. */
  readonly pay: (node: Node, payments: ReadonlyArray<Payment>) => Tx | undefined
}

interface Spendable extends Coin {
  readonly txid: string
  readonly vout: number
}

const maturity = 100
const feePerVbyte = 2n

/** What change must hold to be worth an output of its own. */
const changeMin = 1_000n

/** Signals that it may be replaced. */
const sequence = 0xffff_fffd

const inputsMax = 500

const spendable = ({ chain, mempool }: Node, script: Uint8Array): ReadonlyArray<Spendable> => {
  const next = chain.tip().height + 1
  return [...chain.coins]
    .filter(([key, coin]) => {
      const mature = !coin.coinbase || next - coin.height >= maturity
      return mature && sameBytes(coin.script, script) && mempool.spenderOf(key) === undefined
    })
    .map(([key, coin]) => ({ ...coin, txid: key.slice(0, 64), vout: Number(key.slice(65)) }))
    .toSorted((one, other) => (one.value < other.value ? 1 : -1))
}

/** The size of a transaction of P2WPKH inputs, never less than it will be. */
const vsizeOf = (inputs: number, payments: ReadonlyArray<Payment>): bigint =>
  BigInt(12 + inputs * 69 + 31 + payments.reduce((sum, { script }) => sum + 9 + script.length, 0))

const total = (coins: ReadonlyArray<Coin>): bigint => coins.reduce((sum, { value }) => sum + value, 0n)

/** The wallet of a private key, in hexadecimal. */
export const makeWallet = (privateKey: string): Wallet => {
  const key = fromHex(privateKey)
  const publicKey = pointFromScalar(key, true)
  if (publicKey === null) throw new Error("this is no private key")
  const hash = crypto.hash160(publicKey)
  const script = Uint8Array.of(0x00, 0x14, ...hash)
  const scriptCode = Uint8Array.of(0x76, 0xa9, 0x14, ...hash, 0x88, 0xac)

  return {
    script,
    address: addressOf(script) ?? "",
    balance: (node) => total(spendable(node, script)),
    pay: (node, payments) => {
      const units = payments.reduce((sum, payment) => sum + payment.units, 0n)
      const coins: Array<Spendable> = []
      const due = () => units + vsizeOf(coins.length, payments) * feePerVbyte
      for (const coin of spendable(node, script).slice(0, inputsMax)) {
        if (coins.length > 0 && total(coins) >= due()) break
        coins.push(coin)
      }
      if (total(coins) < due()) return undefined
      const transaction = new Transaction()
      transaction.version = 2
      coins.forEach(({ txid, vout }) => transaction.addInput(unshown(txid), vout, sequence))
      payments.forEach((payment) => transaction.addOutput(payment.script, payment.units))
      const change = total(coins) - due()
      if (change >= changeMin) transaction.addOutput(script, change)
      coins.forEach(({ value }, input) => {
        const digest = transaction.hashForWitnessV0(input, scriptCode, value, Transaction.SIGHASH_ALL)
        const signature = codes.signature.encode(sign(digest, key), Transaction.SIGHASH_ALL)
        transaction.setWitness(input, [signature, publicKey])
      })
      return toTx(transaction)
    }
  }
}
