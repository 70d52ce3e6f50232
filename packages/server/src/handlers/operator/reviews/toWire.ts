import type { OperatorReview } from "@bursar/api/operator/OperatorReview"
import { toIso } from "@bursar/core/base/Timestamp"
import { centsUsed } from "@bursar/core/limit/limitedUsage"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Operation } from "@bursar/core/operation/Operation"
import { reviewOf } from "@bursar/core/operation/Review"
import { isoOrNull } from "../../../wire/moment.ts"
import { toldMoney } from "../../../wire/money.ts"
import { usdFigure } from "../../../wire/usd.ts"
import { receiverOf } from "../receiver.ts"

/** An operation as those see it who review it. */
export const reviewToWire = (operation: Operation, currencies: CurrencyTable): OperatorReview => {
  const { amount, createdAt, customerFee, details, id, kind, status } = operation
  const review = reviewOf(operation)
  const cents = centsUsed(operation)
  return {
    id,
    kind,
    status,
    amount: toldMoney(currencies, amount.units, amount.currency),
    customer_fee: toldMoney(currencies, customerFee.units, customerFee.currency),
    worth_usd: cents === undefined ? null : usdFigure(cents),
    ...receiverOf(operation),
    review: review?.state ?? null,
    reviewed_by: review?.by ?? null,
    reviewed_at: isoOrNull(review?.at ?? null),
    reason: review?.reason ?? null,
    failure_reason: details.failure_reason ?? null,
    created_at: toIso(createdAt)
  }
}
