import { Effect } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import type { View } from "../engine/View.ts"
import { grantedPolicy, type TenantState } from "../grant/GrantState.ts"
import { grantedReview } from "../grant/reviewByGrants.ts"
import type { Ruling } from "../grant/Ruling.ts"
import { centsUsed } from "../limit/limitedUsage.ts"
import { reviewFromOf, takesReview } from "../limit/reviewFrom.ts"
import { worthOf } from "../limit/worth.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { Rate } from "../money/Rate.ts"
import type { Operation } from "../operation/Operation.ts"
import type { Objection } from "../operation/waits.ts"
import { usdOf } from "../port/Prices.ts"
import { usdText } from "../tenant/usd.ts"
import { keyWasRevoked, revokedInChain, revokedInRows, signedBy } from "./signingKeyOff.ts"

/** What currencies are worth, as whoever is about to send has just asked. */
export interface Valued {
  readonly currencies: CurrencyTable
  /** What one whole unit is worth in US dollars, by currency. What is not there is not known. */
  readonly usd: ReadonlyMap<string, Rate>
}

/** Asks what some operations are worth, where grants demand a review of those of their kinds. */
export const lookAtPrices = Effect.fn("leaving.lookAtPrices")(function* (
  ruling: Ruling,
  currencies: CurrencyTable,
  operations: ReadonlyArray<Pick<Operation, "amount" | "kind">>
): Effect.fn.Return<Valued> {
  const policy = ruling === undefined || "_tag" in ruling ? undefined : grantedPolicy(ruling.tenant)
  const priced = operations.filter(({ kind }) => policy !== undefined && reviewFromOf(policy, kind) !== null)
  return { currencies, usd: yield* usdOf(priced.map(({ amount }) => amount.currency)) }
})

/** What an operation is worth in US cents: by the price of now, or by that of its acceptance if that was higher; null where neither is known. */
const centsOf = (operation: Operation, { currencies, usd }: Valued, now: Timestamp): bigint | null => {
  const { currency: code, units } = operation.amount
  const currency = currencies.byCode(code)
  const worth = currency && worthOf(units, currency, usd.get(code) ?? null, now)
  const before = centsUsed(operation)
  // a row can make an operation dearer, and never cheaper
  if (worth == null) return null
  return before !== undefined && before > worth.cents ? before : worth.cents
}

/** What a review is judged by, beside the operation. */
export interface ReviewFacts {
  readonly ruling: Ruling
  readonly valued: Valued | undefined
  readonly now: Timestamp
}

/**
 * Why an operation has to be approved before it leaves, by its worth and by what is granted alone: no row of the database says that it was
 * approved, or that it is worth too little. Undefined where it may leave, and where rows decide.
 */
export const unreviewed = (operation: Operation, { now, ruling, valued }: ReviewFacts): Objection | undefined => {
  if (ruling === undefined || "_tag" in ruling) return undefined
  const policy = grantedPolicy(ruling.tenant)
  const from = policy === undefined ? null : reviewFromOf(policy, operation.kind)
  if (from === null || grantedReview(ruling.tenant, operation) !== undefined) return undefined
  const cents = valued === undefined ? null : centsOf(operation, valued, now)
  if (cents !== null && !takesReview(from, cents)) return undefined
  const asked = `people have to approve from ${usdText(from)} USD on`
  // what is reviewed whatever it is worth needs no price
  return cents === null && from > 0n
    ? { reason: "price_unavailable", detail: `No fresh price of ${operation.amount.currency} is known, and ${asked}.` }
    : {
        reason: "review_not_granted",
        detail: `It is worth ${cents === null ? "an unknown sum of" : usdText(cents)} USD, ${asked}, and no grant approves it as it is.`
      }
}

/** Whether people let an operation leave since its key was revoked: the chain says in which order, and the text that they signed says when. */
const answeredFor = (
  tenant: TenantState,
  operation: Operation,
  revoked: { readonly inChain: number | undefined; readonly inRows: Timestamp | undefined }
): boolean => {
  const review = grantedReview(tenant, operation)
  if (review === undefined) return false
  const { inChain, inRows } = revoked
  return (
    (inChain === undefined || review.number > inChain) &&
    (inRows === undefined || Date.parse(review.document.proposed_at) > inRows)
  )
}

/**
 * Why an operation that was signed with a key that was revoked since may not leave by what is granted: an approval counts that is a grant, and
 * none that is a row. The command reads `signingKeyReads`. `madeBy` is what may be shown of the API key.
 */
export const unansweredKey = (
  view: View,
  operation: Operation,
  ruling: Ruling,
  madeBy?: string
): Objection | undefined => {
  const by = signedBy(operation, madeBy)
  if (by === undefined || ruling === undefined || "_tag" in ruling) return undefined
  const revoked = { inChain: revokedInChain(ruling.tenant, by), inRows: revokedInRows(view, by) }
  if (revoked.inChain === undefined && revoked.inRows === undefined) return undefined
  return answeredFor(ruling.tenant, operation, revoked)
    ? undefined
    : { reason: "signing_key_revoked", detail: keyWasRevoked(by) }
}
