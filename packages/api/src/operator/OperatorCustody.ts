import { Schema } from "effect"
import { FeeSchedule } from "../wire/Fees.ts"
import { DecimalText, Money } from "../wire/Money.ts"
import { products } from "../wire/Quote.ts"
import { AddressText, CodeText, CurrencyText, maybe, MemoText, text } from "../wire/Text.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"

/** How many withdrawals of a tenant are looked at, in each state in which they have not been sent. */
export const withdrawalsWaitingMax = 1_000

/** A destination to propose for a currency. */
export const ProposeDestination = Schema.Struct({
  currency: CurrencyText,
  address: AddressText,
  memo: maybe(MemoText),
  label: text(200)
}).annotate({
  identifier: "ProposeDestination",
  examples: [{ currency: "USDC_BASE", address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94", label: "Treasury" }]
})

/** A destination as operators see it. */
export const OperatorDestination = Schema.Struct({
  id: Uuid,
  currency: Schema.String,
  network: Schema.String,
  address: Schema.String,
  memo: Schema.NullOr(Schema.String),
  label: Schema.String,
  proposed_by: Schema.String,
  verified_by: Schema.NullOr(Schema.String),
  verified_at: Schema.NullOr(Timestamp),
  usable_from: Schema.NullOr(Timestamp),
  state: Schema.Literals(["PROPOSED", "COOLING", "RECEIVING", "REPLACED", "REJECTED"]).annotate({
    description:
      "Withdrawals go to the one that is RECEIVING, and to no other. Another one replaces it once that is verified and its waiting time is over. A replaced or rejected destination never receives again."
  }),
  withdrawals_waiting: Schema.Int.annotate({
    description:
      "Withdrawals to it that were accepted and have not been sent. They leave only while it receives: once it is rejected, they wait until somebody cancels them, or the same address is verified anew. Of more than 1000 that are accepted, and of more than 1000 in review, the newest are looked at. One that cannot be read is not counted."
  }),
  rejected_at: Schema.NullOr(Timestamp),
  rejected_reason: Schema.NullOr(Schema.String),
  created_at: Timestamp
}).annotate({ identifier: "OperatorDestination" })
/** A destination as operators see it. */
export type OperatorDestination = typeof OperatorDestination.Type

/** Every destination of a tenant. */
export const OperatorDestinationList = Schema.Struct({ destinations: Schema.Array(OperatorDestination) }).annotate({
  identifier: "OperatorDestinationList"
})

/** What somebody has seen of a destination who verifies it, as it is shown. */
export const VerifyDestination = Schema.Struct({
  currency: CurrencyText,
  address: AddressText,
  memo: maybe(MemoText).annotate({ description: "Left out, or null: you have seen none." })
}).annotate({
  identifier: "VerifyDestination",
  examples: [{ currency: "USDC_BASE", address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94" }]
})

/** Why a destination is rejected or taken back. */
export const RejectDestination = Schema.Struct({ reason: text(500) }).annotate({
  identifier: "RejectDestination",
  examples: [{ reason: "The tenant could not confirm it by phone." }]
})

/** A fee rule to add; a field left out, or null, matches anything. */
export const CreateFeeRule = Schema.Struct({
  product: maybe(Schema.Literals(products)),
  currency: maybe(CurrencyText),
  rail: maybe(CodeText),
  percent: DecimalText,
  minimum_fee: DecimalText,
  priority: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })),
  effective_from: Schema.optionalKey(Timestamp)
}).annotate({
  identifier: "CreateFeeRule",
  examples: [{ product: "SWAP", percent: "0.5", minimum_fee: "0", priority: 100 }]
})

/** A fee rule as operators see it. */
export const OperatorFeeRule = Schema.Struct({
  id: Uuid,
  product: Schema.NullOr(Schema.String),
  currency: Schema.NullOr(Schema.String),
  rail: Schema.NullOr(Schema.String),
  percent: DecimalText,
  minimum_fee: DecimalText,
  priority: Schema.Int,
  effective_from: Timestamp,
  created_at: Timestamp,
  retired_at: Schema.NullOr(Timestamp)
}).annotate({ identifier: "OperatorFeeRule" })
/** A fee rule as operators see it. */
export type OperatorFeeRule = typeof OperatorFeeRule.Type

/** Every fee rule of a tenant. */
export const OperatorFeeRuleList = Schema.Struct({ fee_rules: Schema.Array(OperatorFeeRule) }).annotate({
  identifier: "OperatorFeeRuleList"
})

/** What an amount would be charged, and by which rule. */
export const FeeSimulation = Schema.Struct({
  fee: Money,
  total: Money.annotate({ description: "Amount and fee: the amount by which the balance would fall." }),
  rule: Schema.NullOr(FeeSchedule).annotate({ description: "The rule that applies; null if none matches." }),
  of_service: Schema.Boolean.annotate({
    description: "Whether it is a default of the service, not the tenant's own."
  })
}).annotate({ identifier: "FeeSimulation" })
/** What an amount would be charged. */
export type FeeSimulation = typeof FeeSimulation.Type
