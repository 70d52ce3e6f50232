import type { Read } from "../engine/Read.ts"
import { readGroup, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import type { Network, NetworkTable } from "../money/Network.ts"
import { bookedArrivalReads } from "../operation/bookedArrival.ts"
import { evidenceKey, PayoutEvidence } from "./PayoutEvidence.ts"
import type { Payout } from "./Payout.ts"
import type { OpenPayout } from "./openPayouts.ts"
import { attemptKey, TransactionAttempt } from "../transaction/TransactionAttempt.ts"
import { isPlausibleCost } from "../transaction/plausibleCost.ts"
import { operationsOf, type OutboundTransaction } from "../transaction/OutboundTransaction.ts"

/** A payout that another transaction is proven to have made. */
export type ProvenPayment = OpenPayout & {
  readonly evidence: {
    readonly hash: string
    readonly by: string
    /** What its wallet paid the network for that one, as far as no other payout bears it; null where not known. */
    readonly fee: bigint | null
    /** The first evidence by that one, which is to say that this payout bears the cost; undefined where another does, or nobody knows what it was. */
    readonly bears?: PayoutEvidence | undefined
    /** Whether it is the first of those here that this one made. */
    readonly isFirst: boolean
  }
}

/** What evidence says of the payouts that an outbound transaction has not paid, and never will. */
export type FoundEvidence =
  /** Those that another transaction has made. */
  | {
      readonly _tag: "Payments"
      readonly payments: ReadonlyArray<ProvenPayment>
    }
  /** It cannot be said yet, and so nothing be concluded. */
  | { readonly _tag: "Inconclusive"; readonly problem: string }

/** For how long an end waits for evidence that no node can read, in milliseconds: from when it was given, or could not be read any more. */
export const evidencePatienceMs = 86_400_000

/** What drawing on evidence reads; `hashes` are the transactions that the chain was asked about. */
export const evidenceReads = (transaction: OutboundTransaction, hashes: ReadonlyArray<string>): ReadonlyArray<Read> =>
  evidenceReadsOf(transaction.network, operationsOf(transaction), hashes)

/** What drawing on evidence for some payouts of a network reads. */
export const evidenceReadsOf = (
  network: Network,
  payouts: ReadonlyArray<string>,
  hashes: ReadonlyArray<string>
): ReadonlyArray<Read> => [
  ...payouts.map((id) => readGroup(PayoutEvidence, id)),
  ...hashes.flatMap((hash) => [
    readRecord(TransactionAttempt, attemptKey(network, hash)),
    readRecord(PayoutEvidence, evidenceKey(network, hash, "")),
    ...bookedArrivalReads(hash)
  ])
]

/** Whether evidence is to be waited for. What is in a block is told once that is final, however long that takes: nobody is paid twice meanwhile. */
export const isOpen = (
  view: View,
  { checkedAt, givenAt, txHash, verdict }: PayoutEvidence,
  asked: ReadonlyArray<string>
): boolean =>
  txHash !== null &&
  (verdict === "NOT_FINAL" ||
    ((verdict === null || verdict === "UNREADABLE" || !asked.includes(txHash)) &&
      view.now - Math.max(givenAt, checkedAt ?? givenAt) < evidencePatienceMs))

/** What an outbound transaction or a payout waits for, for its operator. */
export const awaited = ({ found, txHash, verdict }: PayoutEvidence): string => {
  const given = `${txHash}, which was given as evidence`
  if (verdict === "NOT_FINAL") return `${given}, is in a block that is not final yet.`
  return verdict === "UNREADABLE"
    ? `The chain does not say yet whether ${given}, has paid: ${found}`
    : `The chain was not asked yet about ${given}.`
}

/**
 * What a transaction cost that has made several payouts counts for one: the first that is settled by it where that is known. Who bears it stands with the
 * first evidence by it, whatever the chain says of that.
 */
const costingOnce = (
  view: View,
  network: Network,
  payments: ReadonlyArray<ProvenPayment>
): ReadonlyArray<ProvenPayment> =>
  payments.map((one, index) => {
    const { fee, hash } = one.evidence
    if (fee === null) return one
    const first = view.get(PayoutEvidence, evidenceKey(network, hash, ""))
    const isFirst = payments.findIndex(({ evidence }) => evidence.hash === hash && evidence.fee !== null) === index
    const isBorne = !isFirst || (first?.costBorneBy ?? null) !== null
    return { ...one, evidence: { ...one.evidence, ...(isBorne ? { fee: 0n } : { bears: first }) } }
  })

/** The outbound transaction whose payouts are weighed; without an id where they are in none. */
export interface Weighing {
  readonly id: string | null
  readonly network: Network
}

/** Whether a transaction was signed to pay a payout in an outbound transaction that it was in before: that is held to have expired, and may have paid it. */
export const isEarlier = (
  { earlierTransactions, operationId }: Payout,
  { pays, transactionId }: TransactionAttempt
): boolean => earlierTransactions.includes(transactionId) && pays.includes(operationId)

/** What is weighed of an outbound transaction. */
export interface Weighed {
  /** Its payouts that it has not paid. */
  readonly pairs: ReadonlyArray<OpenPayout>
  /** The transactions that the chain was asked about. */
  readonly asked: ReadonlyArray<string>
  /** The one of its own that took effect as it was signed, which says nothing of those that it left out; null where none did. */
  readonly known: string | null
  /** The networks that they are on. */
  readonly networks: NetworkTable
}

/**
 * Weighs what operators gave as evidence for payouts of an outbound transaction. A transaction counts where the chain has proven that it made the
 * payment and it was signed for no other outbound transaction than one that the payout was in before: the others speak for themselves. One of the outbound transaction's own that is proven contradicts the end.
 * Where one counts, the payout waits for no other.
 */
export const evidenceOf = (
  view: View,
  transaction: Weighing,
  { asked, known, networks, pairs }: Weighed
): FoundEvidence => {
  const { feeMax } = networks.of(transaction.network).limits
  const given = pairs.map((pair) => ({
    pair,
    all: view.group(PayoutEvidence, pair.operation.id).filter(({ txHash }) => known === null || txHash !== known)
  }))
  const signedAs = (hash: string) => view.get(TransactionAttempt, attemptKey(transaction.network, hash))
  const proven = given.flatMap(({ all, pair }) =>
    all.flatMap(({ fee, givenBy, txHash, verdict }) => {
      if (txHash === null || verdict !== "PROVEN" || !asked.includes(txHash)) return []
      // what an earlier version noted it took on any node's word
      const cost = fee !== null && isPlausibleCost(signedAs(txHash), fee, feeMax) ? fee : null
      return [{ ...pair, evidence: { hash: txHash, by: givenBy, fee: cost, isFirst: true } }]
    })
  )
  const own = proven.find(({ evidence }) => signedAs(evidence.hash)?.transactionId === transaction.id)
  if (own !== undefined) {
    return {
      _tag: "Inconclusive",
      problem: `${own.evidence.hash} is proven, and yet the chain says that it cannot be.`
    }
  }
  const foreign = proven.filter((one) => {
    const attempt = signedAs(one.evidence.hash)
    return attempt === undefined || isEarlier(one.payout, attempt)
  })
  // what is proven is paid, whatever is said of others that were given for it: one may have replaced another, and is never seen again
  const open = given
    .filter(({ pair }) => !foreign.some(({ operation }) => operation.id === pair.operation.id))
    .flatMap(({ all }) => all)
    .find((one) => isOpen(view, one, asked))
  if (open !== undefined) return { _tag: "Inconclusive", problem: awaited(open) }
  // several may be given of one payout; the first will do
  const payments = [...new Map(foreign.toReversed().map((one) => [one.operation.id, one])).values()]
  const told = payments.map((one, index) => ({
    ...one,
    evidence: {
      ...one.evidence,
      isFirst: payments.findIndex(({ evidence }) => evidence.hash === one.evidence.hash) === index
    }
  }))
  return { _tag: "Payments", payments: costingOnce(view, transaction.network, told) }
}
