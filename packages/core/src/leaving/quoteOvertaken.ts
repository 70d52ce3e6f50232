import { Effect } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import { grantedReview } from "../grant/reviewByGrants.ts"
import type { Ruling } from "../grant/Ruling.ts"
import type { Amount } from "../money/Amount.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { freshPrice } from "../money/freshPrice.ts"
import { convert, type Rate } from "../money/Rate.ts"
import type { Operation } from "../operation/Operation.ts"
import type { OperationDetails } from "../operation/OperationDetails.ts"
import { reviewOf } from "../operation/Review.ts"
import type { Objection } from "../operation/waits.ts"
import type { Custodian } from "../port/Custodian.ts"
import { conversionRateOf, rateOf } from "../port/Prices.ts"
import { floorOf } from "../pricing/floorOf.ts"

/** For how long after its acceptance a swap may be sent at its quote with nobody asked. A quote that is used ends at most its lifetime later. */
export const quoteKeptMs = 600_000

/** How much less than its quote's floor a swap may be about to bring with nobody asked: the service pays it. In hundredths of a percent of the floor. */
export const quoteLossBpsMax = 100n

/** What a conversion would bring now, as whoever is about to send has just asked. */
export interface Market {
  readonly currencies: Pick<CurrencyTable, "byCode">
  /** The rate at the custodian, less its fee; null where it is not known. */
  readonly rate: Rate | null
}

/** The floor of a swap; undefined of one without a quote, and of what is no swap. */
const promisedBy = (operation: Operation): Amount | undefined =>
  operation.kind === "SWAP" ? floorOf(operation) : undefined

/** Asks what the custodian would give for a swap that is about to be sent at its quote; undefined where that is no matter. */
export const lookAtMarket = Effect.fn("swap.lookAtMarket")(function* (
  operation: Operation,
  custodian: Pick<Custodian["Service"], "conversionFee"> | undefined,
  currencies: Pick<CurrencyTable, "byCode">
): Effect.fn.Return<Market | undefined> {
  const floor = promisedBy(operation)
  if (floor === undefined || custodian === undefined || operation.status !== "ACCEPTED") return undefined
  const [from, to] = [operation.amount.currency, floor.currency]
  return { currencies, rate: yield* conversionRateOf(custodian, rateOf(from, to), from, to) }
})

/** What a swap would bring now, in base units; undefined where no fresh rate is known. */
const broughtNow = (
  { amount }: Operation,
  floor: Amount,
  market: Market | undefined,
  now: Timestamp
): bigint | undefined => {
  const rate = freshPrice(market?.rate ?? null, now)
  const [from, to] = [market?.currencies.byCode(amount.currency), market?.currencies.byCode(floor.currency)]
  return rate === null || from === undefined || to === undefined
    ? undefined
    : convert(amount.units, from, to, rate.price, "down")
}

/** What a swap with a quote would bring now, as its details keep it; nothing where no fresh rate is known, where it has none, and where it would bring nothing: any receipt would be near that. */
export const wouldBring = (
  operation: Operation,
  market: Market | undefined,
  now: Timestamp
): OperationDetails<"SWAP"> => {
  const floor = promisedBy(operation)
  const brings = floor && broughtNow(operation, floor, market, now)
  return brings === undefined || brings === 0n ? {} : { would_bring: brings.toString() }
}

/** How many times less than people were told a swap may bring, and their approval still answers for it. */
const approvedTimesMax = 2n

/** Whether people let it leave after it was put before them for its quote: going before them took away what they had said before. */
const isAnswered = (operation: Operation, ruling: Ruling): boolean =>
  operation.details.quote_overtaken === true &&
  reviewOf(operation)?.state === "APPROVED" &&
  (ruling === undefined || "_tag" in ruling || grantedReview(ruling.tenant, operation) !== undefined)

/** What a swap is judged by, beside itself. */
export interface QuoteFacts {
  readonly market: Market | undefined
  readonly ruling: Ruling
  readonly now: Timestamp
}

/**
 * Why a swap may not be sent at its quote: the service pays what the market lacks to the floor, so people have to take that loss where the
 * quote is long over, or the rate has fallen too far. Undefined where it may, where it has none, and where they have. They have taken what they
 * were told, or the floor where nothing was known: where it would bring less than half of that by now, they are asked once more, and while nobody
 * knows what it would bring, it waits.
 */
export const quoteOvertaken = (operation: Operation, { market, now, ruling }: QuoteFacts): Objection | undefined => {
  const floor = promisedBy(operation)
  if (floor === undefined) return undefined
  const brings = broughtNow(operation, floor, market, now)
  const promised = `its quote promises ${floor.units} units of ${floor.currency}, and it would bring ${brings ?? "an unknown number of"} units now`
  const isUnknown: Objection = {
    reason: "price_unavailable",
    detail: `No fresh rate of ${operation.amount.currency} to ${floor.currency} is known, so its quote cannot be held against it.`
  }
  if (isAnswered(operation, ruling)) {
    if (brings === undefined) return isUnknown
    const { would_bring: told } = operation.details
    const least = told === undefined ? floor.units : BigInt(told)
    if (brings * approvedTimesMax >= least) return undefined
    const detail = `It was approved when it was to bring ${told ?? "an unknown number of"} units: ${promised}.`
    return { reason: "quote_overtaken", detail }
  }
  const minutes = Math.floor((now - operation.createdAt) / 60_000)
  if (now - operation.createdAt > quoteKeptMs)
    return { reason: "quote_overtaken", detail: `It was accepted ${minutes} minutes ago: ${promised}.` }
  if (brings === undefined) return isUnknown
  return brings * 10_000n < floor.units * (10_000n - quoteLossBpsMax)
    ? { reason: "quote_overtaken", detail: `The rate has fallen: ${promised}.` }
    : undefined
}
