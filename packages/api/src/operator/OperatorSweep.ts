import { sweepStates } from "./sweepStates.ts"
import { Schema } from "effect"
import { Money } from "../wire/Money.ts"
import { Network } from "../wire/Network.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"

/** One move of what arrived on an address to the tenant's payout wallet. */
export const OperatorSweep = Schema.Struct({
  id: Uuid,
  network: Network,
  address_id: Uuid,
  address: Schema.String,
  amount: Money.annotate({
    description: "What its deposits come to. Network fees of the native asset are taken from it."
  }),
  state: Schema.Literals(sweepStates),
  top_up_transaction_id: Schema.NullOr(Uuid).annotate({
    description: "The outbound transaction that gave the address coin for the network fee; null if it had enough."
  }),
  sweep_transaction_id: Schema.NullOr(Uuid),
  deposits: Schema.Array(Schema.Struct({ deposit_id: Uuid, tx_hash: Schema.String, transfer_index: Schema.Int })),
  problem: Schema.NullOr(Schema.String).annotate({ description: "Why it was given up." }),
  created_at: Timestamp,
  ended_at: Schema.NullOr(Timestamp),
  closed_at: Schema.NullOr(Timestamp).annotate({
    description: "When its deposits counted as swept, or were let go for the next sweep."
  })
}).annotate({ identifier: "OperatorSweep" })
/** One move of what arrived on an address to the tenant's payout wallet. */
export type OperatorSweep = typeof OperatorSweep.Type

/** Sweeps, newest first. */
export const OperatorSweepPage = Schema.Struct({
  sweeps: Schema.Array(OperatorSweep),
  next_after: Schema.NullOr(Uuid).annotate({ description: "Pass as `after`; null on the last page." })
}).annotate({ identifier: "OperatorSweepPage" })

/** One sweep with the transactions that were signed for it. */
export const OperatorSweepDetail = Schema.Struct({
  sweep: OperatorSweep,
  transactions: Schema.Array(
    Schema.Struct({
      transaction_id: Uuid,
      purpose: Schema.String.annotate({ description: "`TOP_UP` or `SWEEP`." }),
      phase: Schema.String,
      outcome: Schema.NullOr(Schema.String),
      hashes: Schema.Array(Schema.String).annotate({ description: "What was signed, oldest first." }),
      problem: Schema.NullOr(Schema.String),
      fee: Schema.NullOr(Money),
      sent_at: Schema.NullOr(Timestamp),
      ended_at: Schema.NullOr(Timestamp)
    })
  )
}).annotate({ identifier: "OperatorSweepDetail" })
