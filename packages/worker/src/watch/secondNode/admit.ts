import { isSameArrival } from "@bursar/core/port/HeldArrivals"
import { Clock, Effect } from "effect"
import type { Watch } from "../Watch.ts"
import { type Claim, claimKey, type Claimed } from "./SecondNode.ts"

const needsSecondNode = ({ chain, secondNode }: Watch, { currency, units }: Claimed): boolean =>
  secondNode !== undefined &&
  units > secondNode.policy.above(currency) &&
  (chain.several !== undefined || secondNode.policy.alone === "hold")

/**
 * Those of some arrivals that may be confirmed now: what needs no second node, and what a second one agrees on. The others are asked about
 * beside the watcher, which waits for no node here.
 */
export const admit = Effect.fn("watch.admit")(function* <A>(
  watch: Watch,
  found: ReadonlyArray<A>,
  claimedOf: (one: A) => Claimed | undefined
) {
  const { secondNode } = watch
  if (secondNode === undefined) return found
  const now = yield* Clock.currentTimeMillis
  return found.filter((one) => {
    const claimed = claimedOf(one)
    if (claimed === undefined || !needsSecondNode(watch, claimed)) return true
    const key = claimKey(claimed)
    const claim = secondNode.claims.get(key)
    // a block that left and came back may say something else of it
    if (claim !== undefined && isSameArrival(claim.claimed, claimed)) return claim.verdict === "agreed"
    const fresh: Claim = {
      claimed,
      verdict: "open",
      state: "waiting",
      said: [],
      since: now,
      nextAt: now,
      asked: 0,
      told: null
    }
    secondNode.claims.set(key, fresh)
    return false
  })
})

/** Forgets what nodes are asked about and is not to be confirmed any more: all but what is standing. */
export const forgetSettled = ({ secondNode }: Watch, standing: ReadonlyArray<Claimed>): void => {
  if (secondNode === undefined) return
  const keys = new Set(standing.map(claimKey))
  for (const key of secondNode.claims.keys()) if (!keys.has(key)) secondNode.claims.delete(key)
}

/** How many arrivals wait for a second node: they are read again with those that are new. */
export const heldCount = ({ secondNode }: Watch): number => secondNode?.claims.size ?? 0
