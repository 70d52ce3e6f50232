import { Schema } from "effect"
import { Network } from "../wire/Network.ts"
import { AddressText, CurrencyText, text } from "../wire/Text.ts"
import { Timestamp } from "../wire/Timestamp.ts"

/** An arrival that is not credited, because nodes of two operators do not say the same of it. */
export const HeldArrivalEntry = Schema.Struct({
  network: Network,
  tx_hash: Schema.String,
  transfer_index: Schema.Int,
  block_number: Schema.Int,
  block_hash: Schema.String,
  tenant_id: Schema.String,
  address: Schema.String,
  currency: Schema.String,
  amount_units: Schema.String.annotate({ description: "Base units, as the first node says." }),
  state: Schema.Literals(["waiting", "disputed"]).annotate({
    description: "`disputed`: nodes contradict each other. `waiting`: too few nodes say anything."
  }),
  said: Schema.Array(Schema.Struct({ node: Schema.String, operator: Schema.String, says: Schema.String })).annotate({
    description: "What each node says of it."
  }),
  since: Timestamp.annotate({ description: "Since when it could have been credited." }),
  accepted_by: Schema.NullOr(Schema.String).annotate({
    description: "The first of the two operators who accept it; null if none has."
  }),
  acceptance_reason: Schema.NullOr(Schema.String),
  outcome: Schema.NullOr(Schema.Literals(["agreed", "gone", "accepted", "refused"])).annotate({
    description:
      "Null while it is open. `agreed`: the nodes say the same now. `gone`: its block left the chain. `accepted` or `refused`: by operators."
  }),
  ended_by: Schema.NullOr(Schema.String),
  end_reason: Schema.NullOr(Schema.String),
  ended_at: Schema.NullOr(Timestamp)
}).annotate({ identifier: "HeldArrivalEntry" })
/** An arrival that is not credited, because nodes of two operators do not say the same of it. */
export type HeldArrivalEntry = typeof HeldArrivalEntry.Type

/** Held arrivals, newest first. */
export const HeldArrivalList = Schema.Struct({
  arrivals: Schema.Array(HeldArrivalEntry),
  next_cursor: Schema.NullOr(Schema.String)
}).annotate({
  identifier: "HeldArrivalList"
})

/** Which arrival is meant, and what was seen of it elsewhere. */
export const DecideHeldArrival = Schema.Struct({
  tx_hash: text(128),
  transfer_index: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  block_hash: text(128),
  pays: Schema.optionalKey(
    Schema.Struct({
      address: AddressText,
      currency: CurrencyText,
      amount_units: Schema.String.check(Schema.isPattern(/^[0-9]{1,78}$/u, { expected: "an amount in base units" }))
    })
  ).annotate({
    description:
      "What you have seen that it pays. If the record says anything else by now, your word is refused (`state_conflict`)."
  }),
  reason: text(500)
}).annotate({
  identifier: "DecideHeldArrival",
  examples: [
    {
      tx_hash: "0x5c20…",
      transfer_index: 0,
      block_hash: "0x8d1e…",
      reason: "Seen on two explorers and our archive node."
    }
  ]
})

/** What came of an operator's word. */
export const HeldArrivalDecided = Schema.Struct({
  state: Schema.Literals(["accepted", "refused", "first_acceptance"]).annotate({
    description: "`first_acceptance`: another operator has to accept it too."
  })
}).annotate({ identifier: "HeldArrivalDecided" })
