import type { Random } from "@bursar/simulation/kernel/Random"
import { makeAsking } from "@bursar/simulation/people/asking"
import type { Connection } from "@bursar/simulation/people/connection"
import { onboarding } from "@bursar/simulation/people/onboarding"
import { payToAccount } from "@bursar/simulation/people/payToAccount"
import type { AskedKind } from "@bursar/simulation/world/Records"
import { Effect, Fiber } from "effect"
import { freshAddress } from "../../test/support/payer.ts"
import { assets, type Outside } from "../outside/Outside.ts"
import { terms } from "../outside/terms.ts"
import type { Trader } from "./Trader.ts"

/** What a trader asks for; or somebody pays to an account of one of its customers. */
type Activity = AskedKind | "PAYMENT_TO_ACCOUNT"

/** What a trader does, each as often as it is named. */
export type Activities = readonly [Activity, ...ReadonlyArray<Activity>]

const everything: Activities = [
  "WITHDRAWAL",
  "WITHDRAWAL",
  "SWAP",
  "SWAP",
  "ON_RAMP",
  "OFF_RAMP",
  "BANK_TRANSFER",
  "REFUND",
  "INTERNAL_TRANSFER",
  "PAYMENT_TO_ACCOUNT"
]

/** How long a trader waits between two requests at the most: its key lets two through in a second, and it asks for prices, too. */
const pauseMsMax = 3_000

/** A trader at work. What it asks for it asks for until it has an answer. */
export const trade = Effect.fn("soak.trade")(function* (
  trader: Trader,
  outside: Outside,
  {
    activities = everything,
    connection,
    random
  }: { readonly connection: Connection; readonly random: Random; readonly activities?: Activities | undefined }
) {
  const world = {
    ...outside,
    assets,
    config: terms,
    kernel: { now: () => Date.now() },
    network: { stranger: () => freshAddress() },
    note: () => undefined
  }
  const atWork = { world, random, post: connection.post }
  const ask = makeAsking(trader, atWork)
  const asked: Array<Fiber.Fiber<void>> = []
  const bringing = yield* Effect.forkScoped(onboarding(trader, { ...atWork, get: connection.get }))
  const asking = Effect.gen(function* () {
    const activity = random.pick(activities)
    if (activity === "PAYMENT_TO_ACCOUNT") yield* payToAccount(trader, { ...world, random })
    else asked.push(yield* Effect.forkScoped(ask(activity)))
    yield* Effect.sleep(1 + random.below(pauseMsMax))
  })
  const working = yield* Effect.forkScoped(Effect.forever(asking))
  return {
    /** Asks for nothing more, and waits for the answers to what it has asked for. */
    finish: Effect.gen(function* () {
      yield* Fiber.interruptAll([working, bringing])
      yield* Effect.forEach(asked, Fiber.join)
    })
  }
})
