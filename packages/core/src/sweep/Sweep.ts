import type { Timestamp } from "../base/Timestamp.ts"
import type { Network } from "../money/Network.ts"
import type { SweepableDeposit, SweepKey } from "./SweepableDeposit.ts"
import type { SweepState } from "./SweepMachine.ts"
import { defineRecord } from "../engine/Records.ts"

/** A deposit of a sweep. */
export type SweptDeposit = Pick<SweepableDeposit, "depositId" | "network" | "transferIndex" | "txHash">

/** One move of what arrived on an address to the tenant's payout wallet. One at a time is open per address and currency. */
export interface Sweep {
  readonly id: string
  readonly network: Network
  readonly addressId: string
  readonly address: string
  /** Who pays on the chain: the address, on stellar the account that it is a part of. */
  readonly account: string
  readonly key: SweepKey
  readonly currency: string
  readonly contract: string | null
  /** What its deposits come to. What is moved in the end says its outbound transaction: fees are taken from the native asset. */
  readonly units: bigint
  readonly state: SweepState
  /** The outbound transaction that gave the address coin for the network fee; null where it had enough. */
  readonly topUpTransactionId: string | null
  /** The outbound transaction that moves; shared with other sweeps where a transaction moves from several addresses. */
  readonly sweepTransactionId: string | null
  readonly deposits: ReadonlyArray<SweptDeposit>
  /** Why it was given up, in words for operators. */
  readonly problem: string | null
  readonly createdAt: Timestamp
  readonly endedAt: Timestamp | null
  /** When its deposits were let go or counted as swept; null until then. */
  readonly closedAt: Timestamp | null
}

/** The outbound transaction that a sweep is at: sweeps are gathered by it. */
export const transactionOfSweep = ({ sweepTransactionId, topUpTransactionId }: Sweep): string | null =>
  sweepTransactionId ?? topUpTransactionId

/** Sweeps by their ids. Those that share an outbound transaction are a group. */
export const Sweep = defineRecord<Sweep>({ name: "Sweep", key: ({ id }) => id, group: transactionOfSweep })
