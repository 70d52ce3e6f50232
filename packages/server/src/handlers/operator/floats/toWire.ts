import type { OperatorAdjustment } from "@bursar/api/operator/OperatorFloat"
import { toIso } from "@bursar/core/base/Timestamp"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { placeOfAccount } from "@bursar/core/adjustment/place"
import type { FloatAdjustment } from "@bursar/core/adjustment/FloatAdjustment"
import { isoOrNull } from "../../../wire/moment.ts"
import { toldMoney } from "../../../wire/money.ts"

/** A proposed adjustment as operators see it. */
export const adjustmentToWire = (one: FloatAdjustment, currencies: CurrencyTable): OperatorAdjustment => ({
  id: one.id,
  state: one.state,
  amount: toldMoney(currencies, one.amount.units, one.amount.currency),
  against: placeOfAccount(one.against),
  from: one.from === null ? null : placeOfAccount(one.from),
  assigns: one.assigns,
  corrects: one.corrects,
  reason: one.reason,
  proposed_by: one.proposedBy,
  decided_by: one.decidedBy,
  rejected_reason: one.rejectedReason,
  operation_id: one.operationId,
  created_at: toIso(one.createdAt),
  decided_at: isoOrNull(one.decidedAt)
})
