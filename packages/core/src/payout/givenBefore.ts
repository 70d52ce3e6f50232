import { Effect } from "effect"
import type { View } from "../engine/View.ts"
import type { Network } from "../money/Network.ts"
import { Operation } from "../operation/Operation.ts"
import { isOver } from "../operation/OperationMachine.ts"
import type { Queries } from "../store/Queries.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import { isOpen } from "./evidenceOf.ts"
import { Payout } from "./Payout.ts"
import { evidenceKey, isDenied, PayoutEvidence, sharedEvidenceKey } from "./PayoutEvidence.ts"

/** For what a transaction was given as evidence before, as it was read. */
export interface GivenBefore {
  /** The payout for which it was given first; absent where it was given for none. */
  readonly first?: Payout | undefined
  /** The operations whose evidence stands where more by it is to stand. */
  readonly holders: ReadonlyArray<string>
}

/** A transaction that was given for nothing before. */
export const notGiven: GivenBefore = { holders: [] }

/** Reads for what a transaction was given as evidence before it is given for something: for a payout, or for what is none. */
export const givenBefore = Effect.fnUntraced(function* (
  queries: Queries["Service"],
  tenantId: TenantId,
  { network, payout, txHash }: { readonly network: Network; readonly payout?: Payout; readonly txHash: string | null }
) {
  if (txHash === null) return notGiven
  const evidenceAt = (key: string) => queries.record(tenantId, PayoutEvidence, key)
  const first = yield* evidenceAt(evidenceKey(network, txHash, ""))
  const shared = payout === undefined ? undefined : yield* evidenceAt(sharedEvidenceKey(txHash, payout))
  return {
    first: first === undefined ? undefined : yield* queries.record(tenantId, Payout, first.operationId),
    holders: [first, shared].flatMap((one) => one?.operationId ?? [])
  } satisfies GivenBefore
})

/**
 * Whether what was given for an operation that is over without it still speaks of that one. Of a payout the chain is asked on (`hearAfterEnd`), and what is
 * proven has paid it beside what the books have: operators book that payment there, and it settles nothing else.
 */
const stillSpeaks = (view: View, { kind }: Operation, evidence: PayoutEvidence): boolean =>
  kind === "CHAIN_PAYOUT" &&
  (evidence.verdict === "PROVEN" || isOpen(view, evidence, evidence.txHash === null ? [] : [evidence.txHash]))

/**
 * Whether evidence gives its place to more by its transaction: the chain has denied it, or the operation is over without it and the chain is not asked about
 * that any more, so that it would keep the place for good. The command reads the operations of the `holders`: of others nobody knows.
 */
export const givesPlace = (
  view: View,
  evidence: PayoutEvidence,
  { holders }: Pick<GivenBefore, "holders">
): boolean => {
  if (isDenied(evidence)) return true
  const operation = holders.includes(evidence.operationId) ? view.get(Operation, evidence.operationId) : undefined
  if (operation === undefined || !isOver(operation.status) || stillSpeaks(view, operation, evidence)) return false
  // what is settled and does not say by what may be so by this one
  return operation.txHash === null ? operation.status === "FAILED" : operation.txHash !== evidence.txHash
}
