import { Result } from "effect"
import { Refusal } from "../base/Refusal.ts"
import type { View } from "../engine/View.ts"
import type { Currency } from "../money/Currency.ts"
import type { Rate } from "../money/Rate.ts"
import type { AssessedDetails } from "../operation/details/CommonDetails.ts"
import type { OperationKind } from "../operation/Operation.ts"
import { pendingReview } from "../operation/Review.ts"
import { atLeastMinimum } from "./minimum.ts"
import { checkLimits, needsPrice, payoutLimitsOf } from "./payoutLimits.ts"
import { takesReview } from "./reviewFrom.ts"
import { worthOf } from "./worth.ts"

/** Money that is to leave for somebody. */
export interface Outgoing {
  readonly kind: OperationKind
  readonly units: bigint
  readonly currency: Currency
  /** What one whole unit is worth in US dollars; null where that is not known. */
  readonly usd: Rate | null
  /** Whether its receiver is new (`isNewReceiver`). */
  readonly isNew: boolean
}

/** What the limits say of a payout that they let pass. */
export interface Assessment {
  /** Whether an operator has to approve it first. */
  readonly inReview: boolean
  /** What the operation has to keep: `countUsage` counts it by this. */
  readonly details: AssessedDetails
}

/**
 * Holds a payout, on a chain or through a bank, against the one set of limits of its tenant. Refuses, in this order: less than the
 * minimum (`below_minimum`), where any limit applies and no fresh price is known (`price_unavailable`), `payout_limit_exceeded`,
 * `daily_limit_exceeded`, `new_address_limit_exceeded`. The command reads `usageReads` of its kind, and counts what it accepts.
 */
export const assessPayout = (
  view: View,
  { currency, isNew, kind, units, usd }: Outgoing
): Result.Result<Assessment, Refusal> =>
  Result.gen(function* () {
    const { policy } = view.tenant
    // a refund pays back what came, however little that was
    if (kind !== "REFUND") yield* atLeastMinimum(policy, units, currency)
    const limits = payoutLimitsOf(policy)
    const worth = worthOf(units, currency, usd, view.now)
    if (worth === null && needsPrice(limits))
      return yield* Result.fail(
        new Refusal({
          code: "price_unavailable",
          message: `No fresh price of ${currency.code} is known, so no limit can be checked.`
        })
      )
    if (worth !== null) yield* checkLimits(view, limits, worth.cents, isNew)
    const inReview = worth !== null && takesReview(limits.reviewFrom, worth.cents)
    return {
      inReview,
      details: {
        review: inReview ? pendingReview : null,
        usd_cents: worth === null ? null : worth.cents.toString(),
        usd_price:
          worth === null
            ? null
            : {
                units: worth.price.price.units.toString(),
                decimals: worth.price.price.decimals,
                source: worth.price.source
              },
        new_address: isNew
      }
    }
  })
