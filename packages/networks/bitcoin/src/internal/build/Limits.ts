import { feeAt } from "../plan/payFromUtxos.ts"
import type { BitcoinChainName } from "../facts.ts"

/** Signals that a transaction may be replaced (BIP 125), and leaves relative lock times off. */
export const sequenceReplaceable = 0xffff_fffd

/** The version of the transactions that are made here. */
export const transactionVersion = 2

/** Nodes relay nothing heavier (Bitcoin Core, `MAX_STANDARD_TX_WEIGHT`). */
export const weightMax = 400_000

/** The most that a transaction may pay where nothing else is configured: satoshi per 1,000 virtual bytes. */
export const feeRateMaxDefault = 500_000n

/** Of change that goes to the fee, so much at most beside what its output would have cost: dust of P2PKH, which is the largest. */
const dustMax = 546n

/** The largest output, and by how much a transaction is taken to be larger than it is. */
const spareVbytes = 50n

/** The highest fee of a transaction of such a size that keeps to the cap. It may be beyond the cap where change went to the fee. */
export const feeCap = (feeRateMax: bigint, vbytes: bigint): bigint => feeAt(feeRateMax, vbytes + spareVbytes) + dustMax

/** What the sender and the format have to agree on. */
export interface BitcoinLimits {
  readonly chain: BitcoinChainName
  /** The most that a transaction may pay, in satoshi per 1,000 virtual bytes. Default 500,000. */
  readonly feeRateMax?: bigint
}
