import { type Exact, minus, parse, plus, zero } from "./Exact.ts"
import type { Fee, OrderReport, WireOrder } from "./Profile.ts"

/** A trade of an order: so much of the base for so much of the quote, and the fee, above zero where it was taken. */
export interface Fill {
  readonly size: Exact
  readonly cost: Exact
  readonly fee: Fee
}

/** What an order sold and brought before fees, and all fees that were taken for it. */
export interface Filling {
  readonly spent: Exact
  readonly brought: Exact
  readonly fees: ReadonlyArray<Fee>
}

const sum = (all: ReadonlyArray<Exact>): Exact => all.reduce(plus, zero)

const isBelow = (one: Exact, other: Exact): boolean => plus(one, minus(other)).units < 0n

const inCoin = (fees: ReadonlyArray<Fee>, coin: string): Exact =>
  sum(fees.flatMap((fee) => (fee.coin === coin ? [fee.amount] : [])))

/**
 * A filled order by the coins in which its fees were taken. In the coin that was bought, they lessen what was received. In the
 * coin that was sold, they count as far as they were taken on top of the order's amount; some exchanges take them out of it.
 * In any other coin, they were taken beside.
 */
export const filledBy = (id: string, order: WireOrder, { brought, fees, spent }: Filling): OrderReport => {
  const { market, side } = order
  const [from, to] = side === "buy" ? [market.quote, market.base] : [market.base, market.quote]
  const ordered = parse(order.amount) ?? zero
  const taken = plus(spent, inCoin(fees, from))
  const within = isBelow(taken, ordered) ? taken : ordered
  const onTop = plus(taken, minus(ordered))
  const others = [...new Set(fees.map(({ coin }) => coin))].filter((coin) => coin !== from && coin !== to)
  const beside = [
    ...(inCoin(fees, from).units > 0n ? [{ coin: from, amount: onTop }] : []),
    ...others.map((coin) => ({ coin, amount: inCoin(fees, coin) }))
  ]
  return {
    _tag: "Filled",
    id,
    received: plus(brought, minus(inCoin(fees, to))),
    sold: isBelow(within, spent) ? spent : within,
    beside: beside.filter(({ amount }) => amount.units > 0n)
  }
}

/** A filled order by its trades. */
export const filledByTrades = (id: string, order: WireOrder, fills: ReadonlyArray<Fill>): OrderReport => {
  const [size, cost] = [sum(fills.map((fill) => fill.size)), sum(fills.map((fill) => fill.cost))]
  const fees = fills.map(({ fee }) => fee)
  return filledBy(
    id,
    order,
    order.side === "buy" ? { spent: cost, brought: size, fees } : { spent: size, brought: cost, fees }
  )
}
