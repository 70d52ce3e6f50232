import type { Block, NodeOpinion } from "@bursar/core/port/Chain"
import { logStorageError } from "@bursar/core/engine/StorageError"
import { type HeldArrivalEntry, HeldArrivals, isSameArrival } from "@bursar/core/port/HeldArrivals"
import type { Fenced } from "@bursar/core/port/Leadership"
import type { Writer } from "@bursar/core/engine/Writer"
import type { WatchState } from "@bursar/core/store/WatchState"
import { Cause, Clock, Effect, Result } from "effect"
import type { Watch } from "../Watch.ts"
import { type Testimony, testimonyOf, truthOf, verdictOf } from "./compare.ts"
import { correct } from "./correct.ts"
import { type Claim, claimKey, type SecondNode } from "./SecondNode.ts"
import { tellAgreed, tellHeld } from "./tell.ts"

/** Blocks about which nodes are asked at once. */
const blocksAtOnce = 4

/** How long nodes are waited for before operators hear of it: a node may be a block or two behind. */
const patienceMs = 30_000

/** When nodes are asked again: soon at first, then once in half a minute. */
const againInMs = (asked: number): number => Math.min(30_000, 500 * 2 ** Math.min(asked, 10))

/** When nodes are asked again about what operators have refused. */
const refusedAgainInMs = 600_000

const alone: ReadonlyArray<Testimony> = [
  {
    node: "no node",
    operator: "none",
    stand: "silent",
    says: "no node of a second operator is configured, and the configuration demands one"
  }
]

/** Reads a node's copy of a block once for all arrivals in it; what it does not give it says in words. */
const copyOf = ({ says }: NodeOpinion, timeoutMs: number): Effect.Effect<Effect.Effect<Result.Result<Block, string>>> =>
  Effect.cached(
    says._tag === "Same"
      ? says.block.pipe(
          Effect.mapError(({ detail }) => detail),
          Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.fail(`no answer within ${timeoutMs} ms`) }),
          Effect.catchDefect(() => Effect.fail("reading it failed")),
          Effect.result
        )
      : Effect.succeed(Result.fail("it does not have it"))
  )

/** What nodes say of arrivals of one block. */
const askAbout = Effect.fn("watch.askNodes")(function* (watch: Watch, claims: ReadonlyArray<Claim>) {
  const { chain, limits } = watch
  const [first] = claims
  if (first === undefined) return
  const { blockHash, blockNumber } = first.claimed
  const opinions =
    chain.several === undefined ? [] : yield* chain.several.opinions({ hash: blockHash, number: blockNumber })
  const copies = yield* Effect.forEach(opinions, (opinion) =>
    Effect.map(copyOf(opinion, limits.secondNodeTimeoutMs), (copy) => ({ copy, opinion }))
  )
  for (const claim of claims) {
    const testimonies =
      copies.length === 0
        ? alone
        : yield* Effect.forEach(copies, ({ copy, opinion }) => testimonyOf(watch, claim.claimed, opinion, copy), {
            concurrency: "unbounded"
          })
    yield* (claim.verdict === "refused" ? lookForTruth : conclude)(watch, claim, testimonies)
  }
})

/** Takes over what was stored of arrivals, by an earlier watcher or by operators; not where that pays somebody else or another amount. */
const takeOver = (claim: Claim, entry: HeldArrivalEntry): void => {
  if (!isSameArrival(claim.claimed, entry)) return
  const { end, since, state } = entry
  if (end === null) {
    claim.since = Math.min(claim.since, since)
    claim.told ??= state
  }
  if (end?.outcome === "accepted") claim.verdict = "agreed"
  if (end?.outcome === "refused") claim.verdict = "refused"
}

/** Takes over what is stored of some claims. */
const takeOverStored = Effect.fnUntraced(function* ({ chain: { network } }: Watch, claims: ReadonlyArray<Claim>) {
  const held = yield* HeldArrivals
  const byKey = new Map(claims.map((claim) => [claimKey(claim.claimed), claim]))
  for (const entry of yield* held.among(network, [...new Set(claims.map(({ claimed }) => claimed.txHash))])) {
    const claim = byKey.get(claimKey(entry))
    if (claim !== undefined) takeOver(claim, entry)
  }
})

/** Puts in the place of an arrival what two operators agree on, if they do. */
const correctByTruth = Effect.fnUntraced(function* (watch: Watch, claim: Claim, testimonies: ReadonlyArray<Testimony>) {
  const truth = truthOf(testimonies)
  if (truth !== undefined) yield* correct(watch, claim, truth)
})

/** Nothing makes a refused arrival count, but something else may stand in its place in truth. */
const lookForTruth = Effect.fnUntraced(function* (watch: Watch, claim: Claim, testimonies: ReadonlyArray<Testimony>) {
  claim.nextAt = (yield* Clock.currentTimeMillis) + refusedAgainInMs
  yield* correctByTruth(watch, claim, testimonies)
})

/** Draws what follows from the statements of nodes on one arrival, and stores what keeps it from being confirmed. */
const conclude = Effect.fnUntraced(function* (watch: Watch, claim: Claim, testimonies: ReadonlyArray<Testimony>) {
  const { fence } = watch
  const held = yield* HeldArrivals
  const now = yield* Clock.currentTimeMillis
  const { claimed, told } = claim
  claim.asked += 1
  claim.nextAt = now + againInMs(claim.asked)
  claim.said = testimonies.map(({ node, operator, says }) => ({ node, operator, says }))
  const verdict = verdictOf(testimonies)
  if (verdict === "agreed") {
    if (told !== null) {
      yield* held.end(fence, claimed, "agreed", now)
      // operators may have refused it while the nodes were asked
      yield* takeOverStored(watch, [claim])
      if (claim.verdict === "refused") return
      yield* tellAgreed(claim)
    }
    claim.verdict = "agreed"
    return
  }
  claim.state = verdict
  if (verdict === "waiting" && told === null && now - claim.since < patienceMs) return
  const { from: _from, memo: _memo, ...arrival } = claimed
  yield* held.hold(fence, { ...arrival, state: verdict, said: claim.said, since: claim.since })
  if (watch.secondNode !== undefined) watch.secondNode.mayBeStored = true
  claim.told = verdict
  if (told !== verdict) yield* tellHeld(claim)
  yield* correctByTruth(watch, claim, testimonies)
})

/** Open ones that are looked at in one round. */
const openMax = 1_000

/** Ends what is stored as open and is not to be confirmed any more: its block is gone. */
const endGone = Effect.fnUntraced(function* ({ chain: { network }, fence }: Watch, secondNode: SecondNode) {
  if (!secondNode.isRead || !secondNode.mayBeStored) return
  const held = yield* HeldArrivals
  const open = yield* held.list({ network, open: true, limit: openMax })
  const now = yield* Clock.currentTimeMillis
  const gone = open.filter((entry) => !secondNode.claims.has(claimKey(entry)))
  for (const entry of gone) yield* held.end(fence, entry, "gone", now)
  secondNode.mayBeStored = open.length > gone.length || open.length === openMax
})

/** Asks nodes about the arrivals whose moment has come, and ends what has settled otherwise. */
const askRound = Effect.fn("watch.askSecondNode")(function* (watch: Watch, secondNode: SecondNode) {
  yield* endGone(watch, secondNode)
  const now = yield* Clock.currentTimeMillis
  const due = [...secondNode.claims.values()].filter(({ nextAt, verdict }) => verdict !== "agreed" && nextAt <= now)
  if (due.length === 0) return
  yield* takeOverStored(watch, due)
  const left = due.filter(({ verdict }) => verdict !== "agreed")
  const byBlock = Map.groupBy(left, ({ claimed }) => claimed.blockHash)
  yield* Effect.forEach(byBlock.values(), (claims) => askAbout(watch, claims), {
    concurrency: blocksAtOnce,
    discard: true
  })
})

/**
 * Asks nodes of other operators about what is to be confirmed, for as long as a watcher leads: beside it, so that a node that does not
 * answer keeps nothing else waiting. Fails only when another process leads.
 */
export const askNodes = Effect.fnUntraced(function* (
  watch: Watch
): Effect.fn.Return<never, Fenced, HeldArrivals | WatchState | Writer> {
  const { secondNode } = watch
  if (secondNode === undefined) return yield* Effect.never
  while (true) {
    yield* askRound(watch, secondNode).pipe(
      Effect.catchTag("StorageError", logStorageError),
      Effect.catchDefect((defect) => Effect.logError("watch.second_node_failed", Cause.die(defect)))
    )
    yield* Effect.sleep(watch.limits.secondNodeEveryMs)
  }
})
