import { operationsOf } from "@bursar/core/transaction/OutboundTransaction"
import { asEvidence } from "@bursar/core/payout/asEvidence"
import { recordEvidence } from "@bursar/core/payout/attachEvidence"
import { isSetAside, PayoutEvidence } from "@bursar/core/payout/PayoutEvidence"
import { Queries } from "@bursar/core/store/Queries"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { Effect } from "effect"
import type { OwnedTransaction, Send } from "./Send.ts"
import { submitSend } from "./submitSend.ts"
import { Payout } from "@bursar/core/payout/Payout"
import type { TenantId } from "@bursar/core/tenant/Tenant"

/** Whose payouts are looked at, and the accounts that pay them and what they cost: a channel account pays for a payment of the wallet. */
interface Payer {
  readonly tenantId: TenantId
  readonly senders: ReadonlyArray<string>
}

/** Asks the chain about one transaction that was given as evidence, and stores what it says where that is new. */
const lookUp = Effect.fnUntraced(function* (
  send: Send,
  { senders, tenantId }: Payer,
  evidence: PayoutEvidence & { readonly txHash: string }
) {
  if (evidence.verdict === "PROVEN" || isSetAside(evidence)) return
  const queries = yield* Queries
  const payout = yield* queries.record(tenantId, Payout, evidence.operationId)
  if (payout === undefined) return
  const { contract, memo, to, units } = payout
  const said = yield* send.sender.prove({
    txHash: evidence.txHash,
    contract,
    units,
    to,
    senders,
    // with its type, always: a text that reads like a memo of another type, or has the value of one, is that text alone
    memo: memo === null ? null : `${memo.type}:${memo.value}`
  })
  const proof = asEvidence(said)
  const found = proof.verdict === "PROVEN" ? proof.detail : proof.reason
  if (proof.verdict === evidence.verdict && found === evidence.found) return
  yield* submitSend(send, tenantId, recordEvidence(evidence, proof, send.traits))
  yield* Effect.logInfo("payout.evidence_checked").pipe(
    Effect.annotateLogs({ tenant: tenantId, operation: evidence.operationId, verdict: proof.verdict, found })
  )
})

/** Asks the chain about every transaction that operators gave as evidence for some payouts and that it has not proven yet. Returns all of them. */
export const lookUpEvidenceOf = Effect.fn("send.lookUpEvidence")(function* (
  send: Send,
  tenantId: TenantId,
  payouts: ReadonlyArray<string>
) {
  const queries = yield* Queries
  const all = yield* Effect.forEach(payouts, (id) => queries.records(tenantId, PayoutEvidence, id))
  const named = all
    .flat()
    .flatMap((evidence) => (evidence.txHash === null ? [] : [{ ...evidence, txHash: evidence.txHash }]))
  if (named.length === 0) return []
  const wallets = yield* queries.records(tenantId, PayoutWallet, send.sender.network)
  const payer = { tenantId, senders: wallets.map(({ address }) => address) }
  yield* Effect.forEach(named, (evidence) => lookUp(send, payer, evidence), { discard: true })
  return named.map(({ txHash }) => txHash)
})

/** Asks the chain about every transaction that operators gave as evidence for the payouts of an outbound transaction. */
export const lookUpEvidence = (send: Send, { tenantId, transaction }: OwnedTransaction) =>
  lookUpEvidenceOf(send, tenantId, operationsOf(transaction))
