import type { BitcoinChainName } from "../../BitcoinNetwork.ts"

/** Signals that a transaction may be replaced (BIP 125), and leaves relative lock times off. */
export const sequenceReplaceable = 0xffff_fffd

/** The version of the transactions that are made here. */
export const transactionVersion = 2

/** Nodes relay nothing heavier (Bitcoin Core, `MAX_STANDARD_TX_WEIGHT`). */
export const weightMax = 400_000

/** The most that a transaction may pay where nothing else is configured: satoshi per 1,000 virtual bytes. */
export const feeRateMaxDefault = 500_000n

/** Of dust that goes to the fee, so much at most: a P2PKH output that is not worth making, and a satoshi of rounding. */
export const dustMax = 547n

/** What the sender and the format have to agree on. */
export interface BitcoinLimits {
  readonly chain: BitcoinChainName
  /** The most that a transaction may pay, in satoshi per 1,000 virtual bytes. Default 500,000. */
  readonly feeRateMax?: bigint
}
