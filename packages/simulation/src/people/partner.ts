import { Clock, Effect } from "effect"
import type { Fleet } from "../fleet/Fleet.ts"
import { type Activity, usesBank } from "../world/WorldConfig.ts"
import type { World } from "../world/World.ts"
import { makeAsking } from "./asking.ts"
import { makeConnection } from "./connection.ts"
import { makeCustomers } from "./customers.ts"
import { makeHandingOver } from "./handingOver.ts"
import type { PartnerOfWorld } from "./letIn.ts"
import { onboarding } from "./onboarding.ts"
import { makeOwnAddresses } from "./ownAddresses.ts"
import { payToAccount } from "./payToAccount.ts"

/** A partner at its work. */
export const makePartner = (world: World, fleet: Fleet, partner: PartnerOfWorld) => {
  const { bank, config, faults, note } = world
  const { apiKey, index } = partner
  const random = world.random.for(`work of partner ${index}`)
  const { get, post } = makeConnection({ fleet, faults, random, apiKey, signer: () => partner.signer })
  const watched = () =>
    config.ownAddresses ? world.records.watched.filter((address) => !partner.addresses.includes(address)) : []
  const ask = makeAsking(partner, { world, random, post }, watched)
  const { deposit, openAddresses, payTo } = makeCustomers(partner, { world, random, post })
  const own = makeOwnAddresses(partner, { world, random: random.for("own addresses"), post })
  const handing = makeHandingOver(partner, { world, random: random.for("keys"), post, get, payTo })
  const activities = Object.entries(config.weights).flatMap(
    ([activity, weight]) => Array.from({ length: weight }, () => activity as Activity) // its keys are activities
  )

  const act = (activity: Activity) => {
    if (activity === "DEPOSIT") return deposit
    return activity === "PAYMENT_TO_ACCOUNT"
      ? payToAccount(partner, { bank, note, random })
      : Effect.forkChild(ask(activity))
  }

  /** Whether it will ask for more. */
  let atWork = true

  const work = Effect.gen(function* () {
    yield* openAddresses
    yield* Effect.forkChild(own.open)
    yield* Effect.forkChild(handing.handAllOver)
    if (usesBank(config))
      yield* Effect.forkChild(onboarding(partner, { world, random: random.for("clients"), post, get }))
    const until = (yield* Clock.currentTimeMillis) + config.activeMs
    while ((yield* Clock.currentTimeMillis) < until) {
      const activity = activities[random.below(activities.length)]
      if (activity !== undefined) yield* act(activity)
      if (partner.ownAddresses.length > 0) yield* own.move
      yield* Effect.sleep(1 + random.below(2 * config.askEveryMs))
    }
    atWork = false
    // what was begun is brought to its end
    yield* Effect.never
  })

  return { partner, work, get, isAtWork: () => atWork || handing.isUnderWay() }
}
