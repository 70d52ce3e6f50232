import type { Timestamp } from "../base/Timestamp.ts"
import type { Network } from "../money/Network.ts"
import type { Payment, ReplayGuard } from "../port/ChainSender.ts"
import type { Utxo, Outpoint } from "../port/Utxo.ts"
import { type AssetUnits, addUnits } from "./PayoutWallet.ts"
import type { TransactionPhase } from "./TransactionMachine.ts"
import { defineRecord } from "../engine/Records.ts"

/**
 * What an outbound transaction is for: PAYOUT pays payouts; SWEEP moves deposits to a wallet; TOP_UP gives an address the native asset
 * for its network fees; CANCEL consumes a replay guard and does nothing else; CHANNEL funds a channel account; PROVISIONING adds
 * trustlines to an account.
 */
export const transactionPurposes = ["PAYOUT", "SWEEP", "TOP_UP", "CANCEL", "CHANNEL", "PROVISIONING"] as const

/** What an outbound transaction is for. */
export type TransactionPurpose = (typeof transactionPurposes)[number]

/**
 * How an outbound transaction ended. `done`, `reverted`: an attempt of it is final. `replaced`: a foreign transaction consumed its replay
 * guard, before or after something was signed. `expired`: it is proven that no attempt can be included any more. `released`: nothing was signed,
 * and nothing was used up.
 */
export const transactionOutcomes = ["done", "reverted", "replaced", "expired", "released"] as const

/** How an outbound transaction ended. */
export type TransactionOutcome = (typeof transactionOutcomes)[number]

/**
 * What operators can ask of an outbound transaction that is stuck. `REBROADCAST`: give a node the same bytes again now. `BUMP`: replace
 * them now by an attempt with a higher fee.
 */
export const expediteActions = ["REBROADCAST", "BUMP"] as const

/** What operators can ask of an outbound transaction that is stuck. */
export type ExpediteAction = (typeof expediteActions)[number]

/** A payment of an outbound transaction, with the operation that it is for; null where it is for none. */
export interface OutboundPayment extends Payment {
  readonly operationId: string | null
}

/** One use of a replay guard. All attempts consume the same guard, so at most one takes effect. */
export interface OutboundTransaction {
  readonly id: string
  readonly network: Network
  readonly purpose: TransactionPurpose
  /** The wallet that pays; null where what pays is no wallet. */
  readonly walletId: string | null
  /** The account that pays; on bitcoin the owner of the change. */
  readonly from: string
  readonly guard: ReplayGuard
  /** The wallet whose sequence the guard is; null for other guards, and for accounts that are no wallets. */
  readonly counterId: string | null
  readonly payments: ReadonlyArray<OutboundPayment>
  /** The trustlines that `from` adds, each by its pinned issuer. Then there are no payments. */
  readonly trustlines: ReadonlyArray<string>
  readonly drain: boolean
  readonly salt: number
  readonly phase: TransactionPhase
  readonly outcome: TransactionOutcome | null
  /** The hashes of its attempts, oldest first. */
  readonly hashes: ReadonlyArray<string>
  /** The maximum network fee of the newest attempt; until one is signed what it was planned with, 0 where that is not known. */
  readonly feeMax: bigint
  /** Operations that operators have cancelled: the next attempt leaves them out. */
  readonly cancelled: ReadonlyArray<string>
  /** What an operator asked for and is not done yet. */
  readonly asked: ExpediteAction | null
  /**
   * How many of its attempts move what it was for, where that was given up since: those after them use up its guard and do nothing else.
   * Null while nothing was given up.
   */
  readonly givenUpAfter: number | null
  /**
   * Until when the signer may sign its first attempt, where it was asked to and nobody knows what became of that: whatever it was for is neither
   * cancelled nor given up before (`signedUnknownUntil`). Null where nobody has asked, or the answer is known.
   */
  readonly signingUntil: Timestamp | null
  /** Why it is stuck, in words for operators; null where it is not. */
  readonly problem: string | null
  readonly reservedAt: Timestamp
  readonly signedAt: Timestamp | null
  /** When an attempt was first broadcast; `lastSentAt` is the newest broadcast. */
  readonly sentAt: Timestamp | null
  readonly lastSentAt: Timestamp | null
  readonly blockNumber: number | null
  /** The network fee that was paid, in base units of the native asset. */
  readonly fee: bigint | null
  /**
   * UTXOs of its guard that are free again: of one that was `replaced` those that are not known to be spent, of one whose
   * purpose was given up all.
   */
  readonly freed: ReadonlyArray<Outpoint>
  readonly endedAt: Timestamp | null
}

/** The UTXOs that an outbound transaction has reserved or spent, without those that are free again. */
export const utxosHeld = ({ freed, guard }: Pick<OutboundTransaction, "freed" | "guard">): ReadonlyArray<Utxo> =>
  guard._tag === "Utxos"
    ? guard.utxos.filter((utxo) => !freed.some(({ txHash, vout }) => txHash === utxo.txHash && vout === utxo.vout))
    : []

/** Whether an attempt of an outbound transaction moves nothing, because it was signed after what it is for was given up. */
export const isIdle = (
  { givenUpAfter, hashes }: Pick<OutboundTransaction, "givenUpAfter" | "hashes">,
  hash: string
): boolean => givenUpAfter !== null && hashes.indexOf(hash) >= givenUpAfter

/** The operations that an outbound transaction pays. */
export const operationsOf = ({ payments }: Pick<OutboundTransaction, "payments">): ReadonlyArray<string> =>
  payments.flatMap(({ operationId }) => operationId ?? [])

/** The operations that a transaction of an outbound transaction must pay now: all that were not cancelled. */
export const payable = (transaction: Pick<OutboundTransaction, "cancelled" | "payments">): ReadonlyArray<string> =>
  operationsOf(transaction).filter((id) => !transaction.cancelled.includes(id))

/** Whom a payment pays, and in which way: what the chain says of one such payment it says of each. */
export const receiverKey = ({ contract, memo, to }: Pick<Payment, "contract" | "memo" | "to">): string =>
  [to, contract ?? "", memo?.value ?? ""].join("|")

/** What an outbound transaction takes from its account, its greatest network fee included. Coins are reserved themselves, so they count for nothing. */
export const taken = ({
  feeMax,
  payments,
  guard
}: Pick<OutboundTransaction, "feeMax" | "payments" | "guard">): ReadonlyArray<AssetUnits> =>
  guard._tag === "Utxos" ? [] : addUnits([], [...payments, { contract: null, units: feeMax }])

/** Spends by their ids. */
export const OutboundTransaction = defineRecord<OutboundTransaction>({
  name: "OutboundTransaction",
  key: ({ id }) => id
})
