import type {
  OperatorOperation,
  OperatorOperationDetail,
  OperatorProviderCall,
  OperatorResolution,
  SignedRequest
} from "@bursar/api/operator/OperatorOperation"
import { toIso } from "@bursar/core/base/Timestamp"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { contradictionsOf } from "@bursar/core/operation/contradictions"
import type { Operation } from "@bursar/core/operation/Operation"
import { type Payout, phaseOfPayout } from "@bursar/core/payout/Payout"
import type { OperationKind } from "@bursar/core/operation/OperationKind"
import type { AttemptRecord } from "@bursar/core/port/Deliveries"
import type { NotedCall } from "@bursar/core/port/ProviderCalls"
import type { Resolution } from "@bursar/core/resolution/Resolution"
import { evidenceOf } from "@bursar/core/signature/SignatureEvidence"
import type { Tenant } from "@bursar/core/tenant/Tenant"
import { leftWithReceiver } from "@bursar/core/transfer/transferState"
import { isoOrNull } from "../../../wire/moment.ts"
import { toldMoney, toldMoneyOrNull } from "../../../wire/money.ts"
import { legToWire } from "../../register/movements.ts"
import { eventToWire } from "../../events/events.ts"
import { evidenceToWire, attemptToWire } from "../payouts/toWire.ts"
import { attemptToWire as deliveryToWire } from "../webhooks/toWire.ts"
import { receiverOf } from "../receiver.ts"
import { contradictionId } from "./contradictionId.ts"
import { timelineOf } from "./timeline.ts"
import type { WholeOperation } from "./wholeOperation.ts"

const waitsOf = ({ details }: Operation, payout: Payout | undefined): OperatorOperation["waits"] => {
  const held = payout?.transactionId === null ? payout.waits : null
  if (held !== null) return { reason: held.reason, detail: held.detail, since: toIso(held.since) }
  if (details.waits === undefined) return null
  const { detail, reason, since } = details.waits
  return { reason, detail, since: toIso(since) }
}

/** All that was said is told, what tells most first. */
const contradictionOf = (operation: Operation): OperatorOperation["contradiction"] => {
  const all = contradictionsOf(operation)
  const [first] = all
  return first === undefined
    ? null
    : { id: contradictionId(operation), said: all.map(({ said }) => said).join("; "), at: toIso(first.at) }
}

/** An operation as operators see it in lists. */
export const operationToWire = (
  operation: Operation,
  payout: Payout | undefined,
  { slug }: Pick<Tenant, "slug">,
  currencies: CurrencyTable
): OperatorOperation => {
  const { amount, customerFee, details } = operation
  return {
    id: operation.id,
    tenant_id: operation.tenantId,
    tenant: slug,
    kind: operation.kind,
    status: operation.status,
    unresolved: operation.unresolved,
    unresolved_because: operation.unresolved ? (details.unresolved_because ?? null) : null,
    waits: waitsOf(operation, payout),
    contradiction: contradictionOf(operation),
    review: details.review?.state ?? null,
    failure_reason: details.failure_reason ?? null,
    amount: toldMoney(currencies, amount.units, amount.currency),
    customer_fee: toldMoney(currencies, customerFee.units, customerFee.currency),
    ...receiverOf(operation),
    to_amount: toldMoneyOrNull(currencies, leftWithReceiver(operation, operation.toAmount)),
    to_amount_quoted: toldMoneyOrNull(currencies, operation.toAmountQuoted),
    network_fee: toldMoneyOrNull(currencies, operation.networkFee),
    customer_id: operation.customerId,
    network: operation.network,
    provider: operation.provider,
    provider_reference: operation.providerReference,
    partner_reference: operation.partnerReference,
    tx_hash: operation.txHash,
    sent_at: isoOrNull(details.sent_at ?? null),
    asked: details.asked ?? null,
    created_at: toIso(operation.createdAt),
    settled_at: isoOrNull(operation.settledAt)
  }
}

/** What one operator says became of an operation, as operators see it. */
const resolutionToWire = (one: Resolution, currencies: CurrencyTable): OperatorResolution => ({
  id: one.id,
  operation_id: one.operationId,
  state: one.state,
  outcome: one.outcome,
  basis: one.basis,
  reference: one.reference,
  source: one.source,
  statement: one.text,
  provider_reference: one.providerReference,
  tx_hash: one.txHash,
  received: toldMoneyOrNull(currencies, one.received),
  network_fee: toldMoneyOrNull(currencies, one.networkFee?.amount ?? null),
  network_fee_borne_by: one.networkFee?.borneBy ?? null,
  proposed_by: one.proposedBy,
  decided_by: one.decidedBy,
  rejected_reason: one.rejectedReason,
  created_at: toIso(one.createdAt),
  decided_at: isoOrNull(one.decidedAt)
})

const outcomes = { Done: "DONE", Refused: "REFUSED", Unknown: "UNKNOWN" } as const

/** The kinds whose requests say where money goes and nothing of people. */
const impersonal: ReadonlySet<OperationKind> = new Set(["CHAIN_PAYOUT", "WITHDRAWAL", "SWAP"])

const signedRequestOf = (operation: Operation): SignedRequest | null => {
  const evidence = evidenceOf(operation)
  if (evidence === undefined) return null
  const { body, keyid, signature, signatureBase } = evidence
  const shown = impersonal.has(operation.kind) ? Buffer.from(body, "base64").toString("utf8") : null
  return { keyid, signature_base: signatureBase, signature, body: shown }
}

const deliveriesOf = ({ deliveries, endpoints }: WholeOperation): OperatorOperationDetail["deliveries"] => {
  const urls = new Map(endpoints.map(({ id, url }) => [id, url]))
  const named = (record: AttemptRecord) => ({
    webhook_id: record.endpointId,
    url: urls.get(record.endpointId) ?? "",
    ...deliveryToWire(record)
  })
  return deliveries.map(named)
}

const callToWire = (call: NotedCall): OperatorProviderCall => ({
  call: call.call,
  provider: call.provider,
  outcome: outcomes[call.outcome],
  asked: call.asked,
  answered: call.answered,
  first_at: toIso(call.at),
  last_at: toIso(call.lastAt),
  times: call.times,
  duration_ms: call.durationMs
})

/** All that is known of an operation. */
export const wholeToWire = (whole: WholeOperation, currencies: CurrencyTable): OperatorOperationDetail => {
  const { events, evidence, legs, operation, payout, resolutions, signed, transaction, tenant } = whole
  return {
    ...operationToWire(operation, payout, tenant, currencies),
    phase: payout === undefined ? null : phaseOfPayout(payout, transaction),
    problem: transaction?.problem ?? null,
    timeline: timelineOf(whole, currencies),
    legs: legs.map((leg) => legToWire(leg, currencies, toldMoney)),
    attempts: signed.map(attemptToWire),
    events: events.map(eventToWire),
    deliveries: deliveriesOf(whole),
    provider_calls: whole.calls.map(callToWire),
    signed_request: signedRequestOf(operation),
    evidence: evidence.toSorted((one, other) => one.givenAt - other.givenAt).map(evidenceToWire),
    resolutions: resolutions.map((one) => resolutionToWire(one, currencies))
  }
}
