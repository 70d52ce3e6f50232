import { isSameArrival } from "@bursar/core/port/HeldArrivals"
import { Clock, Effect } from "effect"
import type { Watch } from "../Watch.ts"
import { countByOneNode, isCounted } from "./byOneNode.ts"
import { type Claim, claimKey, type Claimed, type SecondNode } from "./SecondNode.ts"

/** What is to be confirmed, and what may be by the word of one node. */
interface ToAdmit<A> {
  readonly found: ReadonlyArray<A>
  readonly claimedOf: (one: A) => Claimed | undefined
  readonly mayCountByOne: (claimed: Claimed) => boolean
}

/** What this asks of nodes; undefined where nothing is asked. */
const asking = ({ chain, secondNode }: Watch): SecondNode | undefined =>
  chain.several !== undefined || secondNode?.policy.alone === "hold" ? secondNode : undefined

const isSmall =
  ({ policy }: SecondNode) =>
  ({ currency, units }: Claimed): boolean =>
    units <= policy.above(currency)

/** Those that need no second node, and those that one agrees on. */
const agreedOrByOne = Effect.fnUntraced(function* <A>(
  secondNode: SecondNode,
  { claimedOf, found, mayCountByOne }: ToAdmit<A>
) {
  const now = yield* Clock.currentTimeMillis
  return found.filter((one) => {
    const claimed = claimedOf(one)
    if (claimed === undefined || mayCountByOne(claimed)) return true
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

/**
 * Those of some deposits that may be confirmed now: what may count by the word of one node, and what a second one agrees on. The others are
 * asked about beside the watcher, which waits for no node here.
 */
export const admitDeposits = Effect.fn("watch.admitDeposits")(function* <A>(
  watch: Watch,
  found: ReadonlyArray<A>,
  claimedOf: (one: A) => Claimed | undefined
) {
  const secondNode = asking(watch)
  if (secondNode === undefined) return found
  const claimed = found.map(claimedOf).filter((one) => one !== undefined)
  yield* countByOneNode(watch, secondNode, claimed.filter(isSmall(secondNode)))
  return yield* agreedOrByOne(secondNode, { found, claimedOf, mayCountByOne: (one) => isCounted(secondNode, one) })
})

/** As `admitDeposits`, of transfers to wallets: nobody is credited for them, so small ones count by the word of one node without end. */
export const admitWalletTransfers = Effect.fn("watch.admitWalletTransfers")(function* <A>(
  watch: Watch,
  found: ReadonlyArray<A>,
  claimedOf: (one: A) => Claimed
) {
  const secondNode = asking(watch)
  if (secondNode === undefined) return found
  return yield* agreedOrByOne(secondNode, { found, claimedOf, mayCountByOne: isSmall(secondNode) })
})

/** Forgets what nodes are asked about and is not to be confirmed any more: all but what is standing. */
export const forgetSettled = ({ secondNode }: Watch, standing: ReadonlyArray<Claimed>): void => {
  if (secondNode === undefined) return
  const keys = new Set(standing.map(claimKey))
  for (const known of [secondNode.claims, secondNode.byOne])
    for (const key of known.keys()) if (!keys.has(key)) known.delete(key)
}

/** How many arrivals wait for a second node: they are read again with those that are new. */
export const heldCount = ({ secondNode }: Watch): number => secondNode?.claims.size ?? 0
