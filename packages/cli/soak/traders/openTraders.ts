import { makeRandom } from "@bursar/simulation/kernel/Random"
import { tell } from "@bursar/simulation/judge/Told"
import { Clock, Effect } from "effect"
import { partnerOn, untilLetIn } from "../../test/support/tenant.ts"
import type { Outside } from "../outside/Outside.ts"
import { connectTo, tellAt } from "./connection.ts"
import { judgeTraders } from "./judgeTraders.ts"
import { reviewing } from "./reviewing.ts"
import { type Activities, trade } from "./trade.ts"
import { openTrader, type Office } from "./Trader.ts"

const counted = (names: ReadonlyArray<string>): string =>
  [...Map.groupBy(names, (name) => name)].map(([name, all]) => `${name} ${all.length}`).join(", ")

const lookAgain = "5 seconds"

/** Who trades, and how. */
export interface TradersOptions {
  readonly count: number
  readonly seed: number
  readonly office: Office
  readonly urls: readonly [string, ...ReadonlyArray<string>]
  /** What they do; all that there is where nothing is said. */
  readonly activities?: Activities
}

/** Traders at work, by one server or another. They end with the scope if not before. */
export const openTraders = Effect.fn("soak.openTraders")(function* (
  outside: Outside,
  { activities, count, office, seed, urls }: TradersOptions
) {
  const { faults, hints, records } = outside
  const [url] = urls
  hints.through(tellAt(url))
  const traders = yield* Effect.forEach(
    Array.from({ length: count }, (_, index) => index),
    (index) => openTrader(index, office, outside)
  )
  const working = yield* Effect.forEach(
    traders,
    Effect.fnUntraced(function* (trader) {
      yield* untilLetIn(yield* partnerOn(url, trader.apiKey))
      const random = makeRandom(seed).for(`trader ${trader.index}`)
      const connection = connectTo(urls, { apiKey: trader.apiKey, faults, random: random.for("connection") })
      return { trader, connection, ...(yield* trade(trader, outside, { connection, random, activities })) }
    })
  )
  yield* Effect.forkScoped(
    reviewing(
      office,
      traders.map(({ id }) => id),
      makeRandom(seed).for("reviews")
    )
  )
  const judged = Effect.gen(function* () {
    const told = yield* Effect.forEach(working, ({ connection, trader }) => tell(trader, connection))
    return judgeTraders(outside, told)
  })
  const taken = () =>
    records.asked.flatMap(({ variants }) => variants.find(({ takenAt }) => takenAt !== null)?.meant.kind ?? [])
  return {
    /** How many requests were acknowledged. */
    acknowledged: () => taken().length,
    /** How many of each kind, and how often what went wrong outside. */
    summary: () => [
      `acknowledged: ${counted(taken())}`,
      `outside: ${[...faults.struck].map(([kind, times]) => `${kind} ${times}`).join(", ")}`
    ],
    /** Lets nothing go wrong any more, waits for the end of all that was asked for, and gives what is wrong after so long. */
    finish: Effect.fnUntraced(function* (patienceMs: number) {
      faults.end()
      yield* Effect.forEach(working, ({ finish }) => finish, { concurrency: "unbounded" })
      const latest = (yield* Clock.currentTimeMillis) + patienceMs
      for (;;) {
        const wrong = yield* judged
        if (wrong.length === 0 || (yield* Clock.currentTimeMillis) > latest) return wrong
        yield* Effect.sleep(lookAgain)
      }
    })
  }
})
