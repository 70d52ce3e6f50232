import type { Network } from "../money/Network.ts"
import { defineRecord } from "../engine/Records.ts"

/**
 * An account that is swept: its own numbers, as wallets have theirs, and what is open on it. One sweep's transaction is under way
 * per account, so that a number that was not used is simply the next.
 */
export interface SweepAccount {
  readonly network: Network
  /** Canonical: the address, on stellar the account that addresses are parts of. */
  readonly account: string
  /** The number that the next transaction takes, where the network counts them; null until one was used. */
  readonly nextSequence: bigint | null
  /** Grows with every outbound transaction, so that no two orders of the same payments are the same. */
  readonly nextSalt: number
  /** The outbound transaction that moves from it and is not over. */
  readonly transactionId: string | null
  /** Its sweeps that are not closed. */
  readonly sweepIds: ReadonlyArray<string>
  /** How many sweeps in a row were given up. */
  readonly failures: number
}

/** The key of an account that is swept. */
export const sweepAccountKey = (network: Network, account: string): string => `${network}|${account}`

/** An account that nothing was swept from yet. */
export const newSweepAccount = (network: Network, account: string): SweepAccount => ({
  network,
  account,
  nextSequence: null,
  nextSalt: 1,
  transactionId: null,
  sweepIds: [],
  failures: 0
})

/** Swept accounts by network and account. */
export const SweepAccount = defineRecord<SweepAccount>({
  name: "SweepAccount",
  key: ({ account, network }) => sweepAccountKey(network, account),
  traits: { oncePerCommand: true }
})
