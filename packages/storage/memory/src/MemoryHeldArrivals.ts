import {
  type ArrivalInBlock,
  type DecisionResult,
  type HeldArrivalEntry,
  HeldArrivals,
  type HeldDecision,
  type HeldPlace,
  isAbout,
  isSameArrival
} from "@bursar/core/port/HeldArrivals"
import { Effect, Layer } from "effect"
import { compareText } from "./byAge.ts"
import { checkFence } from "./MemoryLeadership.ts"
import { Store } from "./Store.ts"

const keyOf = ({ blockHash, network, transferIndex, txHash }: ArrivalInBlock): string =>
  `${network}|${txHash}|${transferIndex}|${blockHash}`

/** The newest first. */
const inOrder = (one: HeldPlace, other: HeldPlace): number =>
  other.since - one.since || compareText(keyOf(one), keyOf(other))

const isDecided = ({ end }: HeldArrivalEntry): boolean => end?.outcome === "accepted" || end?.outcome === "refused"

const decided = (
  entry: HeldArrivalEntry,
  { at, by, reason, verdict }: HeldDecision
): { readonly result: DecisionResult; readonly entry: HeldArrivalEntry } => {
  if (verdict === "refuse")
    return { result: "refused", entry: { ...entry, end: { outcome: "refused", by, reason, at } } }
  if (entry.acceptance === null) return { result: "first", entry: { ...entry, acceptance: { by, reason } } }
  if (entry.acceptance.by === by) return { result: "same_person", entry }
  return { result: "accepted", entry: { ...entry, end: { outcome: "accepted", by, reason, at } } }
}

/** Arrivals on which nodes do not agree, in memory. */
export const layer = Layer.effect(
  HeldArrivals,
  Effect.map(Store, (state) => {
    const { heldArrivals } = state
    return HeldArrivals.of({
      hold: (fence, arrival) =>
        Effect.andThen(
          checkFence(state, fence),
          Effect.sync(() => {
            const before = heldArrivals.get(keyOf(arrival))
            const same = before !== undefined && isSameArrival(before, arrival) ? before : undefined
            if (same !== undefined && isDecided(same)) return
            const acceptance = same?.end === null ? same.acceptance : null
            heldArrivals.set(keyOf(arrival), { ...arrival, acceptance, end: null })
          })
        ),
      end: (fence, which, outcome, at) =>
        Effect.andThen(
          checkFence(state, fence),
          Effect.sync(() => {
            const before = heldArrivals.get(keyOf(which))
            if (before?.end === null)
              heldArrivals.set(keyOf(which), { ...before, end: { outcome, by: "watcher", reason: null, at } })
          })
        ),
      among: (network, txHashes) =>
        Effect.sync(() =>
          [...heldArrivals.values()].filter((one) => one.network === network && txHashes.includes(one.txHash))
        ),
      list: ({ after, limit, network, open }) =>
        Effect.sync(() =>
          [...heldArrivals.values()]
            .filter((one) => (network === null || one.network === network) && (!open || one.end === null))
            .filter((one) => after === undefined || inOrder(after, one) < 0)
            .toSorted(inOrder)
            .slice(0, limit)
        ),
      decide: (which, decision) =>
        Effect.sync(() => {
          const before = heldArrivals.get(keyOf(which))
          if (before?.end !== null) return "not_open"
          if (!isAbout(decision, before)) return "changed"
          const { entry, result } = decided(before, decision)
          heldArrivals.set(keyOf(which), entry)
          return result
        })
    })
  })
)
