import { Schema } from "effect"
import { AmountText, Money, MoneyIn } from "../wire/Money.ts"
import { Event } from "../wire/Event.ts"
import { MovementLeg } from "../wire/Movement.ts"
import { OperationKind, OperationStatus } from "../wire/OperationStatus.ts"
import { CurrencyText, maybe, text } from "../wire/Text.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"
import { OperatorAttempt, PayoutEvidence } from "./OperatorPayout.ts"
import { EndpointAttempt } from "./OperatorWebhook.ts"
import { receiverFields } from "./receiverFields.ts"
import { UnreadableOperations } from "./UnreadableOperation.ts"

/** What an operation is said to have come to. */
export const resolutionOutcomes = ["SETTLED", "FAILED", "RETURNED"] as const

/** What a resolution stands on. */
export const resolutionBases = ["CHAIN", "PROVIDER"] as const

/** Who bore what the network took for a withdrawal. */
export const feeBearers = ["RECEIVER", "SERVICE"] as const

/** What an operator says became of an operation that its provider does not answer for. */
export const ResolveOperation = Schema.Struct({
  outcome: Schema.Literals(resolutionOutcomes),
  basis: Schema.Literals(resolutionBases).annotate({
    description:
      "`CHAIN`: a withdrawal's transaction that was given as evidence and proven by the chain. `PROVIDER`: what the provider has stated outside its API."
  }),
  reference: text(200).annotate({
    description: "Where it can be looked up: a ticket, a letter, a line of a statement."
  }),
  source: text(200).annotate({ description: "Who says so." }),
  statement: text(2000).annotate({ description: "What was said." }),
  provider_reference: maybe(text(200)).annotate({
    description:
      "The provider's own id of the order. A settled order has one: state it, unless the operation already has it or you give its transaction."
  }),
  tx_hash: maybe(text(128)),
  received: maybe(MoneyIn).annotate({
    description:
      "What arrived: what a swap brought, what an ON_RAMP brought in, what the receiver of a transfer got; with `RETURNED`, the total that has come back so far. The service assumes nothing."
  }),
  network_fee: maybe(
    Schema.Struct({ amount: AmountText, currency: CurrencyText, borne_by: Schema.Literals(feeBearers) })
  ).annotate({ description: "The network fee of a withdrawal, and who paid it. If omitted, it is unknown." })
}).annotate({
  identifier: "ResolveOperation",
  examples: [
    {
      outcome: "FAILED",
      basis: "PROVIDER",
      reference: "Ticket 4711",
      source: "Support of the exchange",
      statement: "The order never reached the matching engine and was deleted."
    }
  ]
})
/** What an operator says became of an operation. */
export type ResolveOperation = typeof ResolveOperation.Type

/** What one operator says became of an operation, for another to approve. */
export const OperatorResolution = Schema.Struct({
  id: Uuid,
  operation_id: Uuid,
  state: Schema.Literals(["PROPOSED", "APPLIED", "REJECTED"]),
  outcome: Schema.Literals(resolutionOutcomes),
  basis: Schema.Literals(resolutionBases),
  reference: Schema.String,
  source: Schema.String,
  statement: Schema.String,
  provider_reference: Schema.NullOr(Schema.String),
  tx_hash: Schema.NullOr(Schema.String),
  received: Schema.NullOr(Money),
  network_fee: Schema.NullOr(Money),
  network_fee_borne_by: Schema.NullOr(Schema.Literals(feeBearers)),
  proposed_by: Schema.String,
  decided_by: Schema.NullOr(Schema.String),
  rejected_reason: Schema.NullOr(Schema.String),
  created_at: Timestamp,
  decided_at: Schema.NullOr(Timestamp)
}).annotate({ identifier: "OperatorResolution" })
/** What one operator says became of an operation. */
export type OperatorResolution = typeof OperatorResolution.Type

/** Why a resolution is rejected or taken back. */
export const RejectResolution = Schema.Struct({ reason: text(500) }).annotate({
  identifier: "RejectResolution",
  examples: [{ reason: "The ticket is about another order." }]
})

/** What an operator has found out and done about what contradicts an operation. */
export const CloseContradiction = Schema.Struct({
  contradiction: text(64).annotate({ description: "The `id` of the contradiction as you were shown it." }),
  reason: text(500).annotate({ description: "What you found out, and what was done about it." })
}).annotate({
  identifier: "CloseContradiction",
  examples: [
    {
      contradiction: "9f86d081884c7d659a2feaa0c55ad015",
      reason: "Money has left twice. The provider has sent it back: ticket 4711."
    }
  ]
})

const fields = {
  id: Uuid,
  tenant_id: Uuid,
  tenant: Schema.String.annotate({ description: "The tenant's slug." }),
  kind: OperationKind,
  status: OperationStatus,
  unresolved: Schema.Boolean.annotate({ description: "The outcome is not known; its hold stays." }),
  unresolved_because: Schema.NullOr(Schema.String),
  waits: Schema.NullOr(Schema.Struct({ reason: Schema.String, detail: Schema.String, since: Timestamp })).annotate({
    description: "Why it is not sent yet."
  }),
  contradiction: Schema.NullOr(
    Schema.Struct({
      id: Schema.String.annotate({ description: "Of all that is said. Close the contradiction by it." }),
      said: Schema.String,
      at: Timestamp
    })
  ).annotate({
    description:
      "What its provider reported later, if that differs from the resolution of the operators or from the provider's own report of a failure. Of an arrival: that the service had sent it itself, though somebody was given it. Nothing was booked for it. Null once operators have closed it: `timeline` has it then."
  }),
  review: Schema.NullOr(Schema.String),
  failure_reason: Schema.NullOr(Schema.String),
  amount: Money,
  customer_fee: Money,
  ...receiverFields,
  to_amount: Schema.NullOr(Money).annotate({
    description:
      "What was received and has stayed: less what came back. Null while it is not known, and while it is in suspense."
  }),
  to_amount_quoted: Schema.NullOr(Money),
  network_fee: Schema.NullOr(Money),
  customer_id: Schema.NullOr(Schema.String),
  network: Schema.NullOr(Schema.String),
  provider: Schema.NullOr(Schema.String),
  provider_reference: Schema.NullOr(Schema.String),
  partner_reference: Schema.NullOr(Schema.String),
  tx_hash: Schema.NullOr(Schema.String),
  sent_at: Schema.NullOr(Timestamp).annotate({
    description: "When the intent to send it to its provider was recorded; null before that, and if it has no provider."
  }),
  asked: Schema.NullOr(Schema.Int).annotate({
    description: "How often its provider was asked, if that is counted."
  }),
  created_at: Timestamp,
  settled_at: Schema.NullOr(Timestamp)
}

/** An operation as operators see it in lists. */
export const OperatorOperation = Schema.Struct(fields).annotate({ identifier: "OperatorOperation" })
/** An operation as operators see it in lists. */
export type OperatorOperation = typeof OperatorOperation.Type

/** A page of operations; `next_cursor` is null on the last. */
export const OperatorOperationPage = Schema.Struct({
  operations: Schema.Array(OperatorOperation),
  unreadable: UnreadableOperations,
  next_cursor: Schema.NullOr(Schema.String)
}).annotate({ identifier: "OperatorOperationPage" })
/** A page of operations. */
export type OperatorOperationPage = typeof OperatorOperationPage.Type

/** One thing that happened to an operation. */
export const TimelineEntry = Schema.Struct({
  at: Timestamp,
  what: Schema.String.annotate({
    description:
      "`accepted`, `hold`, `waits`, `review_approved`, `review_rejected`, `sent`, `signed`, `evidence`, `resolution_proposed`, `resolution_applied`, `resolution_rejected`, `contradicted`, `contradiction_closed`, the kind of an event, or what its legs are."
  }),
  by: Schema.NullOr(Schema.String).annotate({
    description: "Who did it: an operator, or the API key that asked for it."
  }),
  detail: Schema.NullOr(Schema.String)
}).annotate({ identifier: "TimelineEntry" })
/** One thing that happened to an operation. */
export type TimelineEntry = typeof TimelineEntry.Type

/** The signed request that an operation stands on, as the process that pays verifies it (RFC 9421). */
export const SignedRequest = Schema.Struct({
  keyid: Schema.String.annotate({ description: "The RFC 7638 thumbprint of the key that signed." }),
  signature_base: Schema.String.annotate({
    description: "The text that was signed: method, host, path, idempotency key and the digest of the body."
  }),
  signature: Schema.String.annotate({ description: "Base64." }),
  body: Schema.NullOr(Schema.String).annotate({
    description: "The body that was signed; null for a kind of operation whose body names people or their accounts."
  })
}).annotate({ identifier: "SignedRequest" })
/** The signed request that an operation stands on. */
export type SignedRequest = typeof SignedRequest.Type

const Said = Schema.Record(Schema.String, Schema.String)

/** What a provider was asked for an operation, and answered. */
export const OperatorProviderCall = Schema.Struct({
  call: Schema.Literals(["withdraw", "withdrawal", "convert", "conversion", "send", "transfer"]).annotate({
    description:
      "`withdraw`, `convert` and `send` give the order; `withdrawal`, `conversion` and `transfer` ask what became of it."
  }),
  provider: Schema.String,
  outcome: Schema.Literals(["DONE", "REFUSED", "UNKNOWN"]).annotate({
    description: "How the answer was understood. After `UNKNOWN` nothing is concluded, and the provider is asked again."
  }),
  asked: Said.annotate({ description: "What was said, by name. People are not named, and account numbers are cut." }),
  answered: Said,
  first_at: Timestamp,
  last_at: Timestamp,
  times: Schema.Int.annotate({ description: "How many calls in a row were answered in this way." }),
  duration_ms: Schema.Int.annotate({ description: "How long the last of them took." })
}).annotate({ identifier: "OperatorProviderCall" })
/** What a provider was asked for an operation, and answered. */
export type OperatorProviderCall = typeof OperatorProviderCall.Type

/** All that is known of an operation. */
export const OperatorOperationDetail = Schema.Struct({
  ...fields,
  phase: Schema.NullOr(Schema.String).annotate({ description: "The phase of a chain payout." }),
  problem: Schema.NullOr(Schema.String).annotate({ description: "What stops a chain payout from continuing." }),
  timeline: Schema.Array(TimelineEntry).annotate({ description: "What happened, oldest first." }),
  legs: Schema.Array(MovementLeg),
  attempts: Schema.Array(OperatorAttempt).annotate({
    description: "All transactions that were signed for a chain payout."
  }),
  events: Schema.Array(Event),
  deliveries: Schema.Array(EndpointAttempt).annotate({
    description: "The newest attempts to tell the tenant's endpoints of its events, at most 200, newest first."
  }),
  provider_calls: Schema.Array(OperatorProviderCall).annotate({
    description: "What its provider was asked and answered, at most 200 entries, newest first."
  }),
  signed_request: Schema.NullOr(SignedRequest).annotate({
    description: "The request that asked for it, if it had to be signed."
  }),
  evidence: Schema.Array(PayoutEvidence),
  resolutions: Schema.Array(OperatorResolution)
}).annotate({ identifier: "OperatorOperationDetail" })
/** All that is known of an operation. */
export type OperatorOperationDetail = typeof OperatorOperationDetail.Type

/** How a wish to cancel ended: `trying` says that something was signed for a chain payout, and the chain decides. */
export const CancelledOperation = Schema.Struct({
  state: Schema.Literals(["cancelled", "trying"]),
  operation: OperatorOperationDetail
}).annotate({ identifier: "CancelledOperation" })
