import type { Timestamp } from "../base/Timestamp.ts"
import type { Network } from "../money/Network.ts"
import type { Utxo, Outpoint, Payment, ReplayGuard } from "../port/ChainSender.ts"
import { type AssetUnits, addUnits } from "./PayoutWallet.ts"
import type { TransactionPhase } from "./TransactionMachine.ts"
import { defineRecord } from "../engine/Records.ts"

/**
 * What an outbound transaction is for: payouts, to move what arrived on an address to a wallet (SWEEP), to give an address coin for its
 * network fees (TOP_UP), to use up a token and nothing else (CANCEL), to give an account that lends its numbers what it needs
 * (CHANNEL), to let an account agree to hold assets (PROVISIONING).
 */
export const transactionPurposes = ["PAYOUT", "SWEEP", "TOP_UP", "CANCEL", "CHANNEL", "PROVISIONING"] as const

/** What an outbound transaction is for. */
export type TransactionPurpose = (typeof transactionPurposes)[number]

/**
 * How an outbound transaction ended: `done` and `reverted` by a final transaction of its own, `replaced` by somebody else's that took the
 * token, `expired` by the proof that none can be included any more, `released` without a signature.
 */
export const transactionOutcomes = ["done", "reverted", "replaced", "expired", "released"] as const

/** How an outbound transaction ended. */
export type TransactionOutcome = (typeof transactionOutcomes)[number]

/**
 * What operators can ask of an outbound transaction that does not come further: that a node is given the same bytes again now, or that a dearer
 * transaction takes their place now, under the same token.
 */
export const expediteActions = ["REBROADCAST", "BUMP"] as const

/** What operators can ask of an outbound transaction that does not come further. */
export type ExpediteAction = (typeof expediteActions)[number]

/** A payment of an outbound transaction, with the operation that it is for; null where it is for none. */
export interface OutboundPayment extends Payment {
  readonly operationId: string | null
}

/** One use of a token: every transaction that is signed for it shares the token, so at most one takes effect. */
export interface OutboundTransaction {
  readonly id: string
  readonly network: Network
  readonly purpose: TransactionPurpose
  /** The wallet that pays; null where what pays is no wallet. */
  readonly walletId: string | null
  /** The account that pays; on bitcoin the owner of the change. */
  readonly from: string
  readonly guard: ReplayGuard
  /** The wallet whose number the token is; null where it is no number, or of an account that is no wallet. */
  readonly counterId: string | null
  readonly payments: ReadonlyArray<OutboundPayment>
  /** The assets that `from` agrees to hold, each by its pinned issuer. Then there are no payments. */
  readonly trustlines: ReadonlyArray<string>
  readonly drain: boolean
  readonly salt: number
  readonly phase: TransactionPhase
  readonly outcome: TransactionOutcome | null
  /** The hashes of what was signed, in order. */
  readonly hashes: ReadonlyArray<string>
  /** The most that the newest of them can cost; 0 until one is signed. */
  readonly feeMax: bigint
  /** Operations that operators want to be left out. */
  readonly cancelled: ReadonlyArray<string>
  /** What an operator asked for and was not done yet. */
  readonly asked: ExpediteAction | null
  /** Why it does not come further, in words for operators; null where nothing is in the way. */
  readonly problem: string | null
  readonly reservedAt: Timestamp
  readonly signedAt: Timestamp | null
  /** When something of it was given to a node for the first time, and for the last. */
  readonly sentAt: Timestamp | null
  readonly lastSentAt: Timestamp | null
  readonly blockNumber: number | null
  /** What the chain took for it, in base units of the network's own coin. */
  readonly fee: bigint | null
  /** Coins of its token that are free again although it was `replaced`: the foreign transaction has not taken them. */
  readonly freed: ReadonlyArray<Outpoint>
  readonly endedAt: Timestamp | null
}

/** The coins that an outbound transaction has reserved or used up, those that are free again left out. */
export const utxosHeld = ({ freed, guard }: Pick<OutboundTransaction, "freed" | "guard">): ReadonlyArray<Utxo> =>
  guard._tag === "Utxos"
    ? guard.utxos.filter((utxo) => !freed.some(({ txHash, vout }) => txHash === utxo.txHash && vout === utxo.vout))
    : []

/** The operations that an outbound transaction pays. */
export const operationsOf = ({ payments }: Pick<OutboundTransaction, "payments">): ReadonlyArray<string> =>
  payments.flatMap(({ operationId }) => operationId ?? [])

/** The operations that a transaction of an outbound transaction must pay now: all that were not cancelled. */
export const payable = (transaction: Pick<OutboundTransaction, "cancelled" | "payments">): ReadonlyArray<string> =>
  operationsOf(transaction).filter((id) => !transaction.cancelled.includes(id))

/** What an outbound transaction takes from its account, its greatest network fee included. Coins are reserved themselves, so they count for nothing. */
export const taken = ({
  feeMax,
  payments,
  guard
}: Pick<OutboundTransaction, "feeMax" | "payments" | "guard">): ReadonlyArray<AssetUnits> =>
  guard._tag === "Utxos" ? [] : addUnits(payments, [{ contract: null, units: feeMax }])

/** Spends by their ids. */
export const OutboundTransaction = defineRecord<OutboundTransaction>({
  name: "OutboundTransaction",
  key: ({ id }) => id
})
