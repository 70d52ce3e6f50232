import { type Purse, purseOf } from "../model/money.ts"
import type { World } from "../world/World.ts"
import { booked } from "./booked.ts"
import type { Carried } from "./judgeRequests.ts"
import type { Told } from "./Told.ts"

/** What networks took of what the service holds for a partner, and what the custodian took for its networks. */
const networkCosts = (
  { assets, chain, exchange }: World,
  { partner }: Told,
  carried: ReadonlyArray<Carried>
): Purse => {
  const costs = purseOf(new Map())
  const own = new Set([...partner.wallets, ...partner.addresses])
  for (const { fee, from } of chain.mined()) if (own.has(from)) costs.add(assets.coin, fee)
  const withdrawals = new Set(
    carried.filter(({ entry: { kind } }) => kind === "WITHDRAWAL").map(({ entry: { id } }) => id)
  )
  for (const { fee, reference } of exchange.carriedOut)
    if (fee !== null && withdrawals.has(reference)) costs.add(fee.currency, fee.units)
  return costs
}

/**
 * Fees are what was charged and what prices brought, network fees what networks took, and no conversion is left half done: nothing that was
 * lost is booked as a cost, and nothing that came as income. What is nobody's is the rest, for every posting is balanced.
 */
export const judgeEarnings = (
  world: World,
  told: Told,
  carried: ReadonlyArray<Carried>,
  earned: Purse
): ReadonlyArray<string> => {
  const right = { fees: earned, network_fees: networkCosts(world, told, carried), exchange: purseOf(new Map()) }
  return Object.entries(right).flatMap(([account, purse]) =>
    world.currencies.all.flatMap(({ code }) => {
      const books = booked(world, told, account, code)
      const should = purse.has(code)
      return books === should
        ? []
        : [`the books of partner ${told.partner.index} have ${books} ${code} in ${account}, and it should be ${should}`]
    })
  )
}
