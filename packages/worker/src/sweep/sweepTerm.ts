import type { Rate } from "@bursar/core/money/Rate"
import type { Fenced } from "@bursar/core/port/Leadership"
import { freshly } from "@bursar/core/port/Prices"
import { Effect } from "effect"
import { makePlaces } from "../queue/places.ts"
import { awaitSome, makeUnderWay } from "../queue/underWay.ts"
import type { Send } from "../transactions/Send.ts"
import { advanceOpen } from "./advanceOpen.ts"
import { defaultSweepLimits, type SweepLimits } from "./SweepLimits.ts"
import type { Sweeping, SweepWork } from "./Sweeping.ts"
import { sweepWaiting } from "./sweepWaiting.ts"
import { storageFailed, storageWorks } from "../queue/apart.ts"

/** What is swept, and by what prices. */
export interface SweepOptions {
  readonly usd: (currency: string) => Effect.Effect<Rate | null>
  readonly limits?: SweepLimits
}

const makeSweepWork = Effect.fnUntraced(function* (
  { sweepsAtOnce, tenantsAtOnce }: SweepLimits,
  isDone: Effect.Effect<void>
) {
  return {
    underWay: yield* makeUnderWay<Fenced>(),
    places: { following: yield* makePlaces(sweepsAtOnce), looking: yield* makePlaces(tenantsAtOnce) },
    isDone
  } satisfies SweepWork
})

/** What failures of the rounds themselves are remembered by. */
const sweepLoop = { loop: "sweep" }

/**
 * The sweeping on a network during one term of leadership over its sending, beside it: rounds without end. Each takes up all that is due and not
 * under way, and waits for it, but not for long: what a node keeps waiting for its answer holds up no other sweep. It reserves outbound
 * transactions; the sender carries them to their end. Fails when another process leads.
 */
export const sweepTerm = Effect.fn("sweep.term")(function* (
  send: Send,
  { limits = defaultSweepLimits, usd }: SweepOptions
) {
  const sweeping: Sweeping = { send, limits, usd: (currency) => freshly(usd(currency)) }
  let isBusy = false
  const isDone = Effect.sync(() => {
    isBusy = true
  })
  const work = yield* makeSweepWork(limits, isDone)
  const round = Effect.gen(function* () {
    isBusy = false
    // sweeps that are over first: what they leave is moved together
    yield* awaitSome(yield* advanceOpen(sweeping, work), limits.idleMs)
    yield* awaitSome(yield* sweepWaiting(sweeping, work), limits.idleMs)
    // what failed is still due: it is tried again at the pace of an idle process, not at once
    yield* isBusy ? Effect.yieldNow : Effect.sleep(limits.idleMs)
  }).pipe(
    Effect.tap(() => storageWorks(sweepLoop)),
    Effect.catchTag("StorageError", (error) =>
      Effect.andThen(storageFailed(sweepLoop, error), Effect.sleep(limits.idleMs))
    )
  )
  return yield* Effect.raceFirst(Effect.forever(round), work.underWay.failure)
}, Effect.scoped)
