import { Schema } from "effect"
import { DecimalOrNull, type DetailsWith, TextOrNull } from "./fields.ts"
import { reversalFields } from "./DepositDetails.ts"

/** At what something has arrived: a wallet of the service, or an account of it. */
export const walletTransferPlaces = ["WALLET", "ACCOUNT"] as const

/** At what something has arrived. */
export type WalletTransferPlace = (typeof walletTransferPlaces)[number]

/** What came to a wallet of the service, as details keep it. */
export const StoredWalletArrival = Schema.Struct({
  network: Schema.optionalKey(Schema.String),
  tx_hash: Schema.optionalKey(Schema.String),
  transfer_index: Schema.optionalKey(Schema.Finite),
  address: Schema.optionalKey(Schema.String),
  paid_to: Schema.optionalKey(TextOrNull),
  memo: Schema.optionalKey(Schema.NullOr(Schema.Struct({ type: Schema.String, value: Schema.String }))),
  from_address: Schema.optionalKey(TextOrNull)
})

/** Which adjustment gives somebody what an arrival left in suspense: the proposal, where it was one, and the ADJUSTMENT once it is booked. */
export const StoredAssignment = Schema.Struct({ adjustment_id: TextOrNull, operation_id: TextOrNull })

/** What only an ADJUSTMENT has: some of it, by what it is of. */
export const adjustmentFields = {
  // a deposit that credits nothing, and what takes one back
  ...reversalFields,
  own_transfer: Schema.Boolean,
  reason: Schema.String,
  // a correction by operators
  approved_by: TextOrNull,
  usd_cents: DecimalOrNull,
  /** The ledger account that the float was corrected against. */
  against: Schema.String,
  moved: Schema.Struct({ from: Schema.String, to: Schema.String }),
  /** The operation whose arrival it gives somebody. */
  assigns: Schema.String,
  /** The operation of which it corrects what was booked with a provider: the two are compared with statements as one. */
  corrects: Schema.String,
  // what left something in suspense
  assigned: Schema.NullOr(StoredAssignment),
  /** The operation that took it back, as the chain did. */
  reversed_by: Schema.String,
  /** The operation that had booked the same arrival in a block that is gone, and was assigned: it is not assigned again. */
  succeeds: Schema.String,
  // what came to a wallet
  wallet_arrival: StoredWalletArrival,
  place: Schema.Literals(walletTransferPlaces),
  // what stands on addresses of the service
  uncredited_deposit: Schema.String,
  /** Deposits whose address was handed over, by id. */
  taken_over: Schema.Array(Schema.String),
  // what came to a customer's account
  /** The provider's id of what came. */
  incoming: Schema.String,
  account_id: Schema.String,
  provider_account_id: TextOrNull,
  description: TextOrNull
}

/** What only an ADJUSTMENT has. */
export interface AdjustmentDetails extends DetailsWith<typeof adjustmentFields> {}
