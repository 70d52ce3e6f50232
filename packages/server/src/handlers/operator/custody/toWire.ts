import type { OperatorDestination, OperatorFeeRule } from "@bursar/api/operator/OperatorCustody"
import { toIso } from "@bursar/core/base/Timestamp"
import type { FeeRule } from "@bursar/core/pricing/FeeRule"
import type { Destination, DestinationState } from "@bursar/core/destination/Destination"
import { feeSchedule } from "../../../wire/feeSchedule.ts"
import { isoOrNull } from "../../../wire/moment.ts"

/** A destination as operators see it, with where it stands and how many withdrawals wait to go there. */
export const destinationToWire = (one: Destination, state: DestinationState, waiting: number): OperatorDestination => ({
  state,
  withdrawals_waiting: waiting,
  id: one.id,
  currency: one.currency,
  network: one.network,
  address: one.address,
  memo: one.memo,
  label: one.label,
  proposed_by: one.proposedBy,
  verified_by: one.verifiedBy,
  verified_at: isoOrNull(one.verifiedAt),
  usable_from: isoOrNull(one.usableFrom),
  rejected_at: isoOrNull(one.rejectedAt),
  rejected_reason: one.rejectedReason,
  created_at: toIso(one.createdAt)
})

/** A fee rule as operators see it. */
export const feeRuleToWire = (rule: FeeRule): OperatorFeeRule => ({
  ...feeSchedule(rule),
  id: rule.id,
  created_at: toIso(rule.createdAt),
  retired_at: isoOrNull(rule.retiredAt)
})
