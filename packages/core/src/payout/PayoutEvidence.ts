import type { Timestamp } from "../base/Timestamp.ts"
import type { Network, NetworkTraits } from "../money/Network.ts"
import { attemptKey } from "../transaction/TransactionAttempt.ts"
import { defineRecord } from "../engine/Records.ts"
import { receiverKey } from "../transaction/OutboundTransaction.ts"
import type { Payout } from "./Payout.ts"

/** What the chain said of a transaction that was given as evidence. Only `PROVEN` is grounds to act. */
export const evidenceVerdicts = ["PROVEN", "NOT_PROVEN", "NOT_FINAL", "UNREADABLE"] as const

/** What the chain said of a transaction that was given as evidence. */
export type EvidenceVerdict = (typeof evidenceVerdicts)[number]

/**
 * What an operator knows of a payout, or of another operation: a note, and perhaps a transaction that is said to have made it. It
 * writes no status. The chain is asked about the transaction. What it proves of a payout counts where nothing that was signed for it
 * can take effect any more; what it proves of a withdrawal is what a resolution may stand on.
 */
export interface PayoutEvidence {
  /** The transaction, or an id of its own where it names none. */
  readonly key: string
  readonly operationId: string
  /** Null where the operation is on none. */
  readonly network: Network | null
  /** In the network's own form. */
  readonly txHash: string | null
  readonly note: string
  readonly givenBy: string
  readonly givenAt: Timestamp
  /** Null until the chain was asked. */
  readonly verdict: EvidenceVerdict | null
  /** What the chain said, in words. */
  readonly found: string | null
  /** What the wallet of the payout paid the network for the transaction, in base units of the native asset; null where that is not known. */
  readonly fee: bigint | null
  /** Since when the chain says so; where an operator asks again, when it said so last. */
  readonly checkedAt: Timestamp | null
  /**
   * Of the first evidence by a transaction, at its own key: how much other evidence by it stands at keys of their own (`sharedEvidenceKey`) and is not
   * denied. Null while it is for a payout with a memo and not denied: then none may.
   */
  readonly sharedCount: number | null
  /** Of the first evidence by a transaction: the payout with which what that cost was booked; null where it was booked with none. */
  readonly costBorneBy: string | null
}

/** How the key of evidence begins that stands for no transaction. */
const noteKey = "note|"

/** The key of evidence: a transaction speaks of one payout, and of others of its batch under keys of their own (`sharedEvidenceKey`). */
export const evidenceKey = (network: Network, txHash: string | null, id: string): string =>
  txHash === null ? `${noteKey}${id}` : attemptKey(network, txHash)

/**
 * The key of evidence for a payout of a batch, by a transaction that speaks of another one of it, too. It names the receiver, and not the payout: of
 * those that pay one receiver in the same way the chain would prove each by the same payment.
 */
export const sharedEvidenceKey = (
  txHash: string,
  { contract, memo, network, to }: Pick<Payout, "contract" | "memo" | "network" | "to">
): string => `${attemptKey(network, txHash)}|${receiverKey({ contract, memo, to })}`

/** Evidence that gave its place to more by its transaction (`givesPlace`), which was given for another operation since: it stays to be read, and its transaction is not asked about any more. */
export const setAside = (evidence: PayoutEvidence, id: string): PayoutEvidence => ({
  ...evidence,
  key: `${noteKey}${id}`,
  sharedCount: 0,
  costBorneBy: null
})

/** Whether the chain says of a transaction that it did not make the payout. */
export const isDenied = ({ verdict }: Pick<PayoutEvidence, "verdict">): boolean => verdict === "NOT_PROVEN"

/** The key of the first evidence by the transaction of some; undefined where that names none, or is set aside. */
export const firstKeyOf = (evidence: PayoutEvidence): string | undefined => {
  const { network, txHash } = evidence
  return network === null || txHash === null || isSetAside(evidence) ? undefined : evidenceKey(network, txHash, "")
}

/** Whether the transaction of some evidence was given for another payout since. */
export const isSetAside = ({ key, txHash }: Pick<PayoutEvidence, "key" | "txHash">): boolean =>
  txHash !== null && key.startsWith(noteKey)

/** A transaction's hash in the form in which its network writes it; undefined where the text is none. */
export const canonicalHash = ({ hashPrefix }: Pick<NetworkTraits, "hashPrefix">, text: string): string | undefined => {
  const [, digits] = /^(?:0x)?([0-9a-f]{64})$/iu.exec(text) ?? []
  return digits === undefined ? undefined : `${hashPrefix}${digits.toLowerCase()}`
}

/** Evidence by its key. That of an operation is a group. */
export const PayoutEvidence = defineRecord<PayoutEvidence>({
  name: "PayoutEvidence",
  key: ({ key }) => key,
  group: ({ operationId }) => operationId
})
