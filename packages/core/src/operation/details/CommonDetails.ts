import { Schema } from "effect"
import { Decimal, DecimalOrNull, type DetailsWith, Moment, TextOrNull } from "./fields.ts"

/** Where the review of an operation stands. */
export const reviewStates = ["PENDING", "APPROVED", "REJECTED"] as const

/** A review as details keep it. */
export const StoredReview = Schema.Struct({
  state: Schema.Literals(reviewStates),
  by: Schema.optionalKey(TextOrNull),
  at: Schema.optionalKey(Schema.NullOr(Moment)),
  reason: Schema.optionalKey(TextOrNull)
})

/** What an operation waits for, and since when, as details keep it. */
export const StoredWaits = Schema.Struct({ reason: Schema.String, detail: Schema.String, since: Moment })

/** How operators resolved an operation, as details keep it. */
export const StoredResolution = Schema.Struct({
  id: Schema.optionalKey(Schema.String),
  outcome: Schema.optionalKey(Schema.String),
  basis: Schema.optionalKey(Schema.String),
  proposed_by: Schema.optionalKey(Schema.String),
  approved_by: Schema.optionalKey(Schema.String),
  at: Moment,
  received_units: Schema.optionalKey(DecimalOrNull),
  received_currency: Schema.optionalKey(TextOrNull)
})

/** The signed request that asked for an operation, as details keep it. */
export const StoredEvidence = Schema.Struct({
  keyid: Schema.optionalKey(Schema.String),
  signature_base: Schema.optionalKey(Schema.String),
  signature: Schema.optionalKey(Schema.String),
  body: Schema.optionalKey(Schema.String)
})

/** What a provider said, and when, of which order where it named one, and whether money has moved by it, where that is known. */
const contradictionFields = {
  said: Schema.String,
  at: Moment,
  reference: Schema.optionalKey(Schema.String),
  moved: Schema.optionalKey(Schema.Boolean),
  /** What was said without the reason that was given for it, where one was. */
  kind: Schema.optionalKey(Schema.String)
}

/** What the details of every kind of operation may have. */
export const commonFields = {
  waits: StoredWaits,
  review: Schema.NullOr(StoredReview),
  /** The API key or the operator that asked for it. */
  made_by: Schema.String,
  /** The request that asked for it, where it was signed. */
  signature: StoredEvidence,
  cancelled_by: Schema.String,
  /** When its order was sent to the provider. */
  sent_at: Moment,
  /** How often the provider was asked. */
  asked: Schema.Finite,
  /** What the provider said last of the order, in short. That it says nothing is not among it. */
  said: Schema.String,
  /** What the provider itself had called the order, where operators have stated another id of it; null where it had told none. */
  told_reference: TextOrNull,
  /** The ids that operators had stated of the order before they stated another. */
  stated_references: Schema.Array(Schema.String),
  unresolved_because: Schema.String,
  /** Whether the provider told an outcome that could not be booked. */
  disputed: Schema.Boolean,
  failure_reason: TextOrNull,
  failure_detail: TextOrNull,
  /** When the provider said that it failed, or that it never had it, or that all of it came back. */
  failed_at: Moment,
  resolution: StoredResolution,
  /** What the provider said of an operation that was over: what tells most, and beside it all else that it said. */
  contradiction: Schema.Struct({
    ...contradictionFields,
    others: Schema.optionalKey(Schema.Array(Schema.Struct(contradictionFields)))
  }),
  /** What was said of it that operators have dealt with, oldest closed first: who, when and why, and which status it had. */
  closed_contradictions: Schema.Array(
    Schema.Struct({
      ...contradictionFields,
      status: Schema.String,
      closed_at: Moment,
      closed_by: Schema.String,
      reason: Schema.String,
      /** The provider has said otherwise of the order since. */
      taken_back: Schema.optionalKey(Schema.Boolean)
    })
  )
}

/** What the details of every kind of operation may have. */
export interface CommonDetails extends DetailsWith<typeof commonFields> {}

/** What the limits keep of what is paid out. */
export const limitFields = {
  /** What it counts for in the limits, in US cents. */
  usd_cents: DecimalOrNull,
  /** The price of one whole unit in US dollars by which it counts. */
  usd_price: Schema.NullOr(Schema.Struct({ units: Decimal, decimals: Schema.Finite, source: Schema.String })),
  /** Whether the receiver was new. */
  new_address: Schema.Boolean
}

/** What the limits keep of what is paid out, with the review that they want. */
export interface AssessedDetails extends Pick<CommonDetails, "review">, DetailsWith<typeof limitFields> {}

/** What the fees and quotes keep of what is priced. */
export const pricingFields = {
  /** The id of the fee rule that priced it. */
  fee_rule: TextOrNull,
  quote_id: TextOrNull,
  /** The least that a quote promised, in base units of the currency that is received. */
  floor: DecimalOrNull
}
