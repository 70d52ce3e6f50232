import type { Quoted } from "../world/Records.ts"
import type { World } from "../world/World.ts"
import type { Carried } from "./judgeRequests.ts"
import { feeOf, unitsOf } from "../model/money.ts"

/** For how long a price is held. */
const lifetimeMs = 60_000

/** How old a rate may be that a price is made of. */
const rateAgeMaxMs = 300_000

const places = 40

/** A price is what the market said a moment before, less what the custodian keeps, and what is promised follows from it. */
export const judgePrices = ({
  config,
  currencies,
  market,
  records
}: Pick<World, "currencies" | "market" | "records"> & {
  readonly config: Pick<World["config"], "conversionFee" | "feePercent" | "slippageBps">
}): ReadonlyArray<string> => {
  const decimals = (currency: string): number => currencies.byCode(currency)?.decimals ?? 0
  const keeps = (product: string): bigint => (product === "SWAP" && config.conversionFee === "RECEIVED" ? 1n : 0n)
  const isTold = ({ currency, product, rate, rateAt, toCurrency }: Quoted): boolean =>
    market.told.some(({ from, observedAt, price, to }) => {
      const [told, known] = [unitsOf(rate, places), price.units * 10n ** BigInt(places - price.decimals)]
      const same = from === currency && to === toCurrency && observedAt === rateAt
      return same && told * 1_000n === known * (1_000n - keeps(product))
    })
  return records.quotes.flatMap((quote) => {
    const { currency, fee, floor, rateAt, received, toCurrency, units } = quote
    const wrong = (what: string) => `quote ${quote.id} ${what}`
    const rate = currency === toCurrency ? 10n ** BigInt(places) : unitsOf(quote.rate, places)
    const right = (units * rate * 10n ** BigInt(decimals(toCurrency))) / 10n ** BigInt(places + decimals(currency))
    const least = right - (right * BigInt(config.slippageBps)) / 10_000n
    const old = rateAt !== null && quote.toldAt - rateAt > rateAgeMaxMs + 2 * records.skewMs
    return [
      ...(currency === toCurrency || isTold(quote) ? [] : [wrong("has a rate that the market never told")]),
      ...(old ? [wrong("has an old rate")] : []),
      ...(received === right ? [] : [wrong(`promises ${received}, not ${right}`)]),
      ...(floor === least ? [] : [wrong(`promises no less than ${floor}, and not than ${least}`)]),
      ...(fee === feeOf(units, config.feePercent) ? [] : [wrong(`has a fee of ${fee}`)])
    ]
  })
}

/** Each price is used once, in its time, for what it was asked for; and the receiver gets what it promises. */
export const judgeQuotes = (
  { bank, currencies, exchange, records }: Pick<World, "bank" | "currencies" | "exchange" | "records">,
  carried: ReadonlyArray<Carried>
): ReadonlyArray<string> => {
  const used = new Set<string>()
  return carried.flatMap(({ entry, variant: { meant, sentAt } }) => {
    const swap = exchange.carriedOut.find(({ reference }) => reference === entry.id)?.received?.units
    const got =
      entry.to_amount === null
        ? undefined
        : unitsOf(entry.to_amount.amount, currencies.byCode(entry.to_amount.currency)?.decimals ?? 0)
    const wrong = (what: string) => `${entry.kind} ${entry.id} ${what}`
    const { quote } = meant
    if (quote === null)
      return entry.kind === "SWAP" && entry.status === "SETTLED" && got !== swap
        ? [wrong(`brought ${got} where the custodian gave ${swap}`)]
        : []
    const again = used.has(quote.id)
    used.add(quote.id)
    const late = Date.parse(entry.created_at) >= quote.expiresAt
    // the clocks of those who priced it and who took it may have been off in either direction
    const tooLate = (sentAt ?? 0) - quote.toldAt > lifetimeMs + 2 * records.skewMs
    const paid = bank.taken.find(({ fails, order }) => !fails && order.reference === entry.id)
    const credited =
      swap === undefined ? undefined : swap < quote.floor ? quote.floor : swap > quote.received ? quote.received : swap
    const other = meant.currency !== quote.currency || meant.units !== quote.units || entry.kind !== quote.product
    return [
      ...(again ? [wrong(`used quote ${quote.id} again`)] : []),
      ...(other ? [wrong(`used quote ${quote.id}, which is for something else`)] : []),
      ...(late || tooLate ? [wrong(`used quote ${quote.id} after it had expired`)] : []),
      ...(entry.kind === "SWAP" && entry.status === "SETTLED" && got !== credited
        ? [wrong(`brought ${got}, and was to bring ${credited}`)]
        : []),
      ...(entry.kind === "OFF_RAMP" && entry.status === "SETTLED" && (got ?? 0n) < quote.floor
        ? [wrong(`paid ${got}, less than was promised`)]
        : []),
      ...(entry.kind === "OFF_RAMP" && paid !== undefined && entry.status === "SETTLED" && got !== paid.received.units
        ? [wrong(`is said to have paid ${got}, and paid ${paid.received.units}`)]
        : [])
    ]
  })
}
