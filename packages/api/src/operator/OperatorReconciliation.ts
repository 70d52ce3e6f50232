import { Schema } from "effect"
import { text } from "../wire/Text.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"

const signed = "May be below zero."

/** An amount that may be below zero. */
export const SignedMoney = Schema.Struct({
  amount: Schema.String.check(Schema.isPattern(/^-?\d+(?:\.\d+)?$/u)),
  currency: Schema.String
}).annotate({ identifier: "SignedMoney", description: signed })

const place = Schema.String.annotate({
  description: "`chain:<network>:payouts`, `chain:<network>:deposits`, `custodian:<name>` or `bank:<name>`."
})

/** What was found of a currency at a place, and what the books said of it. */
export const PlaceObservation = Schema.Struct({
  place,
  kind: Schema.Literals(["payout_wallets", "deposit_addresses", "custodian", "bank"]),
  currency: Schema.String,
  observation: Schema.Literals(["observed", "unsupported"]).annotate({
    description: "`unsupported`: whoever keeps the place tells no balance."
  }),
  ledger: SignedMoney.annotate({ description: "What the books say, over all tenants." }),
  in_flight: SignedMoney.annotate({
    description: "What is signed, sent or announced and not yet in both. Below zero where the place shows more."
  }),
  in_flight_least: SignedMoney,
  in_flight_most: SignedMoney,
  observed: Schema.NullOr(SignedMoney),
  difference: Schema.NullOr(SignedMoney).annotate({ description: "`ledger` less `in_flight` less `observed`." }),
  block_number: Schema.NullOr(Schema.Int),
  block_hash: Schema.NullOr(Schema.String),
  observed_at: Timestamp
}).annotate({ identifier: "PlaceObservation" })
/** What was found of a currency at a place, and what the books said of it. */
export type PlaceObservation = typeof PlaceObservation.Type

/** Something recorded that could explain a break. */
export const BreakCandidate = Schema.Struct({
  kind: Schema.Literals(["operation", "deposit", "wallet_transfer", "transaction", "statement_line"]),
  id: Schema.String,
  tenant_id: Schema.String,
  at: Timestamp,
  reason: Schema.String
}).annotate({ identifier: "BreakCandidate" })

/** A difference that nothing in flight explains. */
export const ReconciliationBreak = Schema.Struct({
  id: Schema.String,
  place,
  currency: Schema.String,
  difference: SignedMoney.annotate({ description: "Above zero: the books say more than is there." }),
  since: Timestamp,
  since_block: Schema.NullOr(Schema.Int),
  age_seconds: Schema.Int,
  state: Schema.Literals(["open", "explained", "closed"]),
  alarmed_at: Schema.NullOr(Timestamp),
  explained_by: Schema.NullOr(Schema.String),
  note: Schema.NullOr(Schema.String),
  explained_at: Schema.NullOr(Timestamp),
  closed_at: Schema.NullOr(Timestamp),
  candidates: Schema.Array(BreakCandidate),
  about: Schema.NullOr(
    Schema.Struct({ kind: Schema.Literals(["operation", "statement_line"]), id: Schema.String })
  ).annotate({
    description:
      "What of a provider's statement does not agree with the books: an operation, or a line that is about none. Null where what is held does not."
  })
}).annotate({ identifier: "ReconciliationBreak" })
/** A difference that nothing in flight explains. */
export type ReconciliationBreak = typeof ReconciliationBreak.Type

/** A place from which nothing is sent. */
export const PlaceStop = Schema.Struct({
  stopped: Schema.String.annotate({
    description: "A network, or the place of a provider, such as `custodian:kraken`."
  }),
  reason: Schema.String,
  by: Schema.String,
  at: Timestamp
}).annotate({ identifier: "PlaceStop" })
/** A place from which nothing is sent. */
export type PlaceStop = typeof PlaceStop.Type

/** Why a place is stopped. */
export const StopPlace = Schema.Struct({ reason: text(500) }).annotate({
  identifier: "StopPlace",
  examples: [{ reason: "The exchange has booked a withdrawal twice." }]
})

/** Which stop somebody ends. */
export const resumeQuery = {
  stopped_at: Schema.optionalKey(Timestamp).annotate({
    description:
      "When the stop that you end was given, as the answer has it that shows the stop. If another stop stands there by now, nothing is resumed (`state_conflict`). Without it, whatever stop stands there ends."
  })
}

/** A place in a path. */
export const placeParams = { place: text(100) }

/** What is stopped by now. */
export const PlaceStops = Schema.Struct({ stops: Schema.Array(PlaceStop) }).annotate({ identifier: "PlaceStops" })

/** The newest observations and the breaks that are open. */
export const Reconciliation = Schema.Struct({
  stops: Schema.Array(PlaceStop),
  breaks: Schema.Array(ReconciliationBreak),
  places: Schema.Array(PlaceObservation)
}).annotate({ identifier: "Reconciliation" })

/** Breaks, newest first. */
export const BreakList = Schema.Struct({ breaks: Schema.Array(ReconciliationBreak) }).annotate({
  identifier: "BreakList"
})

/** The observations of one day, newest first. */
export const ObservationList = Schema.Struct({ observations: Schema.Array(PlaceObservation) }).annotate({
  identifier: "ObservationList"
})

/** Why a break is there. */
export const ExplainBreak = Schema.Struct({ note: text(500) }).annotate({
  identifier: "ExplainBreak",
  examples: [{ note: "The exchange took a listing fee, see ticket 41." }]
})

/** The id of a break in a path. */
export const breakParams = { break_id: Uuid }
