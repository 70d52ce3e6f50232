import { firstCounted, minuteOf, type OneNodeCredit, withinAllowance } from "@bursar/core/incoming/oneNodeAllowance"
import { isSameArrival } from "@bursar/core/port/HeldArrivals"
import { WatchState } from "@bursar/core/store/WatchState"
import { Clock, Effect } from "effect"
import type { Watch } from "../Watch.ts"
import { claimKey, type Claimed, type SecondNode } from "./SecondNode.ts"

const sumOf = (all: ReadonlyArray<Claimed>): bigint => all.reduce((sum, { units }) => sum + units, 0n)

/** Whether a deposit is counted as it is claimed now: a block that left and came back may say something else of it. */
export const isCounted = ({ byOne }: SecondNode, claimed: Claimed): boolean => {
  const counted = byOne.get(claimKey(claimed))
  return counted !== undefined && isSameArrival(counted, claimed)
}

/** Those of some deposits that the allowances of their currencies have room for. */
const fitting = (
  { credited = [], policy: { together, windowMs } }: SecondNode,
  wanted: ReadonlyArray<Claimed>,
  now: number
): ReadonlyMap<string, ReadonlyArray<Claimed>> => {
  const found = [...Map.groupBy(wanted, ({ currency }) => currency)].map(([currency, all]) => {
    const before = credited.filter((one) => one.currency === currency)
    const allowance = { now, units: together(currency), windowMs }
    const fits = withinAllowance(
      before,
      all.map(({ units }) => units),
      allowance
    )
    return [currency, all.filter((_, at) => fits[at] === true)] as const
  })
  return new Map(found.filter(([, all]) => all.length > 0))
}

/**
 * Lets deposits count by the word of one node as far as the allowance goes, and counts them before they are confirmed: many small ones that
 * a lying node invents come to no more than it. What it has no room for needs a second node, as what is above the threshold does.
 */
export const countByOneNode = Effect.fn("watch.countByOneNode")(function* (
  { chain: { network }, fence }: Watch,
  secondNode: SecondNode,
  small: ReadonlyArray<Claimed>
) {
  const { byOne, claims, policy } = secondNode
  const fresh = small.filter((one) => !isCounted(secondNode, one) && !claims.has(claimKey(one)))
  if (fresh.length === 0) return
  const state = yield* WatchState
  const now = yield* Clock.currentTimeMillis
  const from = firstCounted(now, policy.windowMs)
  secondNode.credited ??= yield* state.oneNodeCredits(network, from)
  const allowed = fitting(secondNode, fresh, now)
  if (allowed.size === 0) return
  const credits = [...allowed].map(([currency, all]): OneNodeCredit => ({
    currency,
    minute: minuteOf(now),
    units: sumOf(all)
  }))
  yield* state.countOneNodeCredits(fence, network, credits, from)
  secondNode.credited = [...secondNode.credited.filter(({ minute }) => minute >= from), ...credits]
  for (const one of [...allowed.values()].flat()) byOne.set(claimKey(one), one)
})
