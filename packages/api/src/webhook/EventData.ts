import { Schema } from "effect"
import { DepositStatus } from "../wire/Deposit.ts"
import { DecimalText } from "../wire/Money.ts"
import { Network } from "../wire/Network.ts"
import { OperationKind, OperationStatus } from "../wire/OperationStatus.ts"
import { Uuid } from "../wire/Uuid.ts"

/** The data of the deposit events; `amount` is a bare decimal string here, compared as a decimal. */
export const DepositEventData = Schema.Struct({
  deposit_id: Uuid,
  network: Network,
  address: Schema.String,
  reference: Schema.String,
  currency: Schema.String,
  amount: DecimalText,
  amount_units: Schema.String,
  tx_hash: Schema.String,
  transfer_index: Schema.Int,
  block_number: Schema.NullOr(Schema.Int),
  confirmations: Schema.Int,
  required_confirmations: Schema.Int,
  status: DepositStatus,
  historical: Schema.Boolean,
  change_seq: Schema.Int
}).annotate({ identifier: "DepositEventData" })
/** The data of the deposit events. */
export type DepositEventData = typeof DepositEventData.Type

/** The data of the payout, withdrawal, swap and transfer events; reconcile by `operation_id`. */
export const OperationEventData = Schema.Struct({
  operation_id: Uuid,
  kind: OperationKind,
  status: OperationStatus,
  amount: DecimalText,
  currency: Schema.String,
  provider_reference: Schema.NullOr(Schema.String),
  tx_hash: Schema.NullOr(Schema.String)
}).annotate({ identifier: "OperationEventData" })
/** The data of the payout, withdrawal, swap and transfer events. */
export type OperationEventData = typeof OperationEventData.Type

/** The data of the events of extended public keys: what somebody who watches for keys that are not theirs needs. */
export const XpubEventData = Schema.Struct({
  xpub_id: Uuid,
  network: Network,
  xpub: Schema.String,
  index_from: Schema.Int,
  index_to: Schema.Int,
  next_index: Schema.Int
}).annotate({ identifier: "XpubEventData" })
/** The data of the events of extended public keys. */
export type XpubEventData = typeof XpubEventData.Type
