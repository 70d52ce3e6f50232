import { Schema } from "effect"
import { Money } from "./Money.ts"
import { Network } from "./Network.ts"
import { Timestamp } from "./Timestamp.ts"
import { Uuid } from "./Uuid.ts"

/** Where a deposit stands. */
export const DepositStatus = Schema.Literals(["DETECTED", "CONFIRMED", "REORGED"])

/** An arrival on a watched address. */
export const Deposit = Schema.Struct({
  id: Uuid,
  network: Network,
  address: Schema.String,
  reference: Schema.String,
  amount: Money,
  amount_units: Schema.String,
  tx_hash: Schema.String,
  transfer_index: Schema.Int,
  legacy_key: Schema.String,
  from_address: Schema.NullOr(Schema.String),
  block_number: Schema.NullOr(Schema.Int),
  block_time: Schema.NullOr(Timestamp),
  confirmations: Schema.Int,
  required_confirmations: Schema.Int,
  status: DepositStatus,
  historical: Schema.Boolean,
  detected_at: Timestamp,
  confirmed_at: Schema.NullOr(Timestamp),
  reorged_at: Schema.NullOr(Timestamp),
  change_seq: Schema.Int.annotate({ description: "Rises whenever the row's status changes." })
}).annotate({ identifier: "Deposit" })
/** An arrival on a watched address. */
export type Deposit = typeof Deposit.Type

/** Deposits in `change_seq` order; an empty page ends the paging. */
export const DepositPage = Schema.Struct({
  deposits: Schema.Array(Deposit),
  next_after: Schema.Int
}).annotate({ identifier: "DepositPage" })
/** Deposits in `change_seq` order. */
export type DepositPage = typeof DepositPage.Type
