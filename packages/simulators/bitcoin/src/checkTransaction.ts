import { moneyText } from "./bytes.ts"
import type { Coin } from "./ChainState.ts"
import { Rejection } from "./Rejection.ts"
import { kindOf } from "./scripts.ts"
import type { Tx } from "./Tx.ts"

const moneyMax = 21_000_000n * 100_000_000n
const weightMax = 400_000
const strippedBytesMin = 65
const dataCarrierBytesMax = 83
const scriptSigBytesMax = 1_650
const coinbaseMaturity = 100
const lockTimeIsTime = 500_000_000
const sequenceFinal = 0xffff_ffff
const sequenceDisable = 0x8000_0000
const sequenceIsTime = 0x0040_0000
const sequenceMask = 0xffff
const sequenceSeconds = 512

/** Where the next block would stand: what a transaction that is to be in it must satisfy. */
export interface NextBlock {
  readonly height: number
  /** The median time of the tip, in seconds. */
  readonly medianTime: number
  /** The median time of a block of the main chain. */
  readonly medianTimeAt: (height: number) => number
}

/** What holds for every transaction, whatever it spends (Bitcoin Core, `CheckTransaction`). */
export const checkForm = ({ spends, transaction }: Tx): void => {
  const { outs } = transaction
  if (transaction.ins.length === 0) throw new Rejection("bad-txns-vin-empty")
  if (outs.length === 0) throw new Rejection("bad-txns-vout-empty")
  if (outs.some(({ value }) => value > moneyMax)) throw new Rejection("bad-txns-vout-toolarge")
  if (outs.reduce((sum, { value }) => sum + value, 0n) > moneyMax) throw new Rejection("bad-txns-txouttotal-toolarge")
  if (new Set(spends).size !== spends.length) throw new Rejection("bad-txns-inputs-duplicate")
  if (transaction.isCoinbase()) throw new Rejection("coinbase")
}

/** What an output must hold at least to be worth spending at 3 sat/vB (Bitcoin Core, `GetDustThreshold`). */
export const dustThreshold = (script: Uint8Array): bigint => {
  const kind = kindOf(script)
  if (kind === "nulldata") return 0n
  const spending = kind.startsWith("witness_") || kind === "anchor" ? 67 : 148
  return BigInt((8 + 1 + script.length + spending) * 3)
}

/** What this node relays (Bitcoin Core, `IsStandardTx`). */
export const checkStandard = ({ transaction, weight }: Tx): void => {
  if (transaction.version < 1 || transaction.version > 3) throw new Rejection("version")
  if (weight > weightMax) throw new Rejection("tx-size")
  for (const { script } of transaction.ins) {
    if (script.length > scriptSigBytesMax) throw new Rejection("scriptsig-size")
  }
  const kinds = transaction.outs.map(({ script }) => kindOf(script))
  transaction.outs.forEach(({ script }, vout) => {
    const long = kinds[vout] === "nulldata" && script.length > dataCarrierBytesMax
    if (kinds[vout] === "nonstandard" || long) throw new Rejection("scriptpubkey")
  })
  if (transaction.outs.some(({ script, value }) => value < dustThreshold(script))) throw new Rejection("dust")
  if (kinds.filter((kind) => kind === "nulldata").length > 1) throw new Rejection("multi-op-return")
  if (transaction.byteLength(false) < strippedBytesMin) throw new Rejection("tx-size-small")
}

/** Whether the lock time lets it into the next block (Bitcoin Core, `IsFinalTx`). */
export const checkFinal = ({ transaction }: Tx, { height, medianTime }: NextBlock): void => {
  const { ins, locktime } = transaction
  const limit = locktime < lockTimeIsTime ? height : medianTime
  const locked = locktime >= limit && ins.some(({ sequence }) => sequence !== sequenceFinal)
  if (locktime !== 0 && locked) throw new Rejection("non-final")
}

/** Whether the relative lock times let it into the next block (BIP 68). */
export const checkSequences = ({ transaction }: Tx, coins: ReadonlyArray<Coin>, next: NextBlock): void => {
  if (transaction.version < 2) return
  transaction.ins.forEach(({ sequence }, input) => {
    // The sign bit of a 32-bit operation is no matter: only whether it is zero.
    if ((sequence & sequenceDisable) !== 0) return
    const from = Math.min(coins[input]?.height ?? next.height, next.height)
    const value = sequence & sequenceMask
    const met =
      (sequence & sequenceIsTime) === 0
        ? next.height >= from + value
        : next.medianTime >= next.medianTimeAt(Math.max(0, from - 1)) + value * sequenceSeconds
    if (!met) throw new Rejection("non-BIP68-final")
  })
}

/** What holds of a transaction and what it spends; gives its fee (Bitcoin Core, `CheckTxInputs`). */
export const checkAmounts = ({ transaction }: Tx, coins: ReadonlyArray<Coin>, { height }: NextBlock): bigint => {
  for (const coin of coins) {
    const depth = height - coin.height
    if (coin.coinbase && depth < coinbaseMaturity) {
      const reason = "bad-txns-premature-spend-of-coinbase"
      throw new Rejection(reason, `${reason}, tried to spend coinbase at depth ${depth}`)
    }
  }
  const valueIn = coins.reduce((sum, { value }) => sum + value, 0n)
  const valueOut = transaction.outs.reduce((sum, { value }) => sum + value, 0n)
  if (valueIn < valueOut) {
    const reason = "bad-txns-in-belowout"
    throw new Rejection(reason, `${reason}, value in (${moneyText(valueIn)}) < value out (${moneyText(valueOut)})`)
  }
  return valueIn - valueOut
}
