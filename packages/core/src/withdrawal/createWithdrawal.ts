import { Result } from "effect"
import { schedule } from "../engine/Job.ts"
import type { Command } from "../engine/Command.ts"
import { readGroup, putRecord } from "../engine/Records.ts"
import { Refusal } from "../base/Refusal.ts"
import { custodianQueue } from "../custody/CustodyStep.ts"
import { countUsage, usageReads, withdrawalScope } from "../limit/limitedUsage.ts"
import { atLeastMinimum } from "../limit/minimum.ts"
import { reviewFromOf, takesReview } from "../limit/reviewFrom.ts"
import { Usage } from "../limit/Usage.ts"
import { withdrawalLimitAt } from "../limit/withdrawalLimit.ts"
import { worthOf } from "../limit/worth.ts"
import { type Amount, format } from "../money/Amount.ts"
import { chainCurrency } from "../money/chainCurrency.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { Rate } from "../money/Rate.ts"
import { hold, holdReads } from "../operation/holds.ts"
import { newOperation } from "../operation/newOperation.ts"
import { Operation } from "../operation/Operation.ts"
import { pendingReview } from "../operation/Review.ts"
import { spendableReads } from "../operation/spendable.ts"
import { chargeOf, feeReads, feeRulesAt } from "../pricing/charge.ts"
import type { FeeRule } from "../pricing/FeeRule.ts"
import { type Reached, refuseReach } from "../environment/reach.ts"
import { destinationGroup, usableDestination, Destination } from "../destination/Destination.ts"

/** A wish to withdraw, with what the world says at the moment. */
export interface WithdrawalRequest {
  readonly amount: Amount
  readonly partnerReference: string | null
  /** What one whole unit is worth in US dollars; null where it is not known. */
  readonly usd: Rate | null
  readonly provider: Reached
  /** The API key of the request. */
  readonly madeBy: string
  readonly defaultFees: ReadonlyArray<FeeRule>
  readonly currencies: CurrencyTable
}

const refuse = (code: Refusal["code"], message: string) => Result.fail(new Refusal({ code, message }))

/**
 * Accepts a withdrawal to the tenant's verified destination of the currency: reserves amount and fee and leaves the rest to
 * the worker, or first to an operator from the tenant's threshold on. Refuses where withdrawals are switched off (`payouts_disabled`), there is no such destination
 * (`destination_not_verified`), the custodian or the network is of another environment (`product_not_enabled`), it is less than the minimum (`below_minimum`), no fresh price is known (`price_unavailable`: a limit cannot be kept without it), the rolling
 * limit would be exceeded (`withdrawal_limit_exceeded`) or the float does not cover it (`insufficient_balance`).
 */
export const createWithdrawal = (request: WithdrawalRequest): Command<Operation> => ({
  name: "CreateWithdrawal",
  reads: [
    readGroup(Destination, destinationGroup),
    ...feeReads,
    ...usageReads("WITHDRAWAL"),
    ...holdReads(request.amount.currency, "custodian"),
    ...spendableReads(request.amount.currency, request.currencies)
  ],
  decide: (view) => {
    const { amount, currencies, defaultFees, madeBy, partnerReference, provider, usd } = request
    const { policy } = view.tenant
    const foreign = refuseReach(view.tenant, provider)
    if (foreign !== undefined) return Result.fail(foreign)
    const sent = chainCurrency(currencies, amount.currency)
    if (Result.isFailure(sent)) return Result.fail(sent.failure)
    const currency = sent.success
    if (!policy.withdrawalsEnabled) return refuse("payouts_disabled", "Withdrawals are switched off.")
    const destination = usableDestination(view.group(Destination, destinationGroup), amount.currency, view.now)
    if (destination === undefined)
      return refuse("destination_not_verified", `There is no verified destination for ${amount.currency}.`)
    const astray = refuseReach(view.tenant, currencies.networks.of(destination.network))
    if (astray !== undefined) return Result.fail(astray)
    const least = atLeastMinimum(policy, amount.units, currency)
    if (Result.isFailure(least)) return Result.fail(least.failure)
    const worth = worthOf(amount.units, currency, usd, view.now)
    if (worth === null) return refuse("price_unavailable", `No fresh price of ${amount.currency} is known.`)
    const { cents } = worth
    const { remaining } = withdrawalLimitAt(policy, view.get(Usage, withdrawalScope), view.now)
    if (cents > remaining) {
      return refuse(
        "withdrawal_limit_exceeded",
        `${format(remaining, 2)} USD are left of the limit of ${policy.withdrawalLimitUsd} USD in ${policy.withdrawalWindowHours} hours.`
      )
    }
    const { fee, rule } = chargeOf(feeRulesAt(view, defaultFees), {
      product: "WITHDRAWAL",
      currency,
      units: amount.units,
      rail: destination.network
    })
    const inReview = takesReview(reviewFromOf(policy, "WITHDRAWAL"), cents)
    const operation = newOperation(view, {
      kind: "WITHDRAWAL",
      status: inReview ? "IN_REVIEW" : "ACCEPTED",
      amount,
      customerFee: fee,
      network: destination.network,
      provider: provider.name,
      partnerReference,
      details: {
        destination: { address: destination.address, memo: destination.memo },
        review: inReview ? pendingReview : null,
        made_by: madeBy,
        usd_cents: cents.toString(),
        fee_rule: rule?.id ?? null
      }
    })
    return Result.map(hold(view, operation, currencies), (held) => ({
      changes: [
        putRecord(Operation, operation),
        held,
        ...countUsage(view, [operation], 1n),
        ...(inReview ? [] : [schedule(custodianQueue, operation.id, view.now)])
      ],
      reply: operation
    }))
  }
})
