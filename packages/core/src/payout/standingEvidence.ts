import { Effect, Result } from "effect"
import type { Command } from "../engine/Command.ts"
import type { Read } from "../engine/Read.ts"
import { readGroup, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import type { Network } from "../money/Network.ts"
import type { Objection } from "../operation/waits.ts"
import type { Queries } from "../store/Queries.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import { attemptKey, TransactionAttempt } from "../transaction/TransactionAttempt.ts"
import { awaited, isEarlier, isOpen } from "./evidenceOf.ts"
import { Payout } from "./Payout.ts"
import { PayoutEvidence } from "./PayoutEvidence.ts"

/** The transactions that operators gave as evidence for a payout. */
export const hashesGiven = (queries: Queries["Service"], tenantId: TenantId, operationId: string) =>
  Effect.map(queries.records(tenantId, PayoutEvidence, operationId), (all) =>
    all.flatMap(({ txHash }) => (txHash === null ? [] : [txHash]))
  )

/** What is read to know whether evidence stands for a payout; `given` are the transactions that were given for it, as they were read. */
export const standingReads = (
  network: Network,
  operationId: string,
  given: ReadonlyArray<string>
): ReadonlyArray<Read> => [
  readGroup(PayoutEvidence, operationId),
  ...given.map((hash) => readRecord(TransactionAttempt, attemptKey(network, hash)))
]

/**
 * Why a payout of which nothing is sent is neither given up nor sent: a transaction that was given as evidence is proven to have made it, or may
 * turn out to have. Undefined where nothing stands for it. One that was signed for something else speaks for that, and one of the outbound transaction
 * that it is in is what is to be sent; where it is not among the `given`, nobody has looked for whom it was signed, and it counts.
 */
export const standingFor = (view: View, payout: Payout, given: ReadonlyArray<string>): string | undefined => {
  const { network, operationId } = payout
  for (const evidence of view.group(PayoutEvidence, operationId)) {
    const { txHash, verdict } = evidence
    if (txHash === null) continue
    const attempt = given.includes(txHash) ? view.get(TransactionAttempt, attemptKey(network, txHash)) : undefined
    if (attempt !== undefined && attempt.transactionId === payout.transactionId) continue
    if (isOpen(view, evidence, [txHash])) return awaited(evidence)
    if (verdict !== "PROVEN") continue
    if (attempt === undefined || isEarlier(payout, attempt))
      return `${txHash}, which was given as evidence, is proven to have paid it.`
  }
  return undefined
}

/**
 * Why a payout in an outbound transaction does not leave by that now: it may be paid by something else, for which evidence stands (`standingFor`).
 * Undefined where nothing does.
 */
export const paidBefore = (view: View, operationId: string, given: ReadonlyArray<string>): Objection | undefined => {
  const payout = view.get(Payout, operationId)
  const detail = payout && standingFor(view, payout, given)
  return detail === undefined ? undefined : { reason: "may_be_paid", detail }
}

/** Asks why one of some payouts does not leave by its outbound transaction now (`paidBefore`); null where each does. `given` as `standingReads` has it. */
export const askPaidBefore = (
  network: Network,
  payouts: ReadonlyArray<string>,
  given: ReadonlyArray<string>
): Command<Objection | null> => ({
  name: "AskPaidBefore",
  reads: payouts.flatMap((id) => [readRecord(Payout, id), ...standingReads(network, id, given)]),
  decide: (view) =>
    Result.succeed({ changes: [], reply: payouts.flatMap((id) => paidBefore(view, id, given) ?? []).at(0) ?? null })
})
