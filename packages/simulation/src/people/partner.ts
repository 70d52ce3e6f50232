import { Clock, Effect } from "effect"
import type { Fleet } from "../fleet/Fleet.ts"
import type { World } from "../world/World.ts"
import { makeAsking } from "./asking.ts"
import { makeConnection } from "./connection.ts"
import { makeCustomers } from "./customers.ts"
import type { PartnerOfWorld } from "./letIn.ts"

/** A partner at its work. */
export const makePartner = (world: World, fleet: Fleet, partner: PartnerOfWorld) => {
  const { config, faults } = world
  const { apiKey, index, signer } = partner
  const random = world.random.for(`work of partner ${index}`)
  const { get, post } = makeConnection({ fleet, faults, random, apiKey, signer })
  const ask = makeAsking({ world, index, random, post })
  const { deposit, openAddresses } = makeCustomers(partner, { world, random, post })

  const work = Effect.gen(function* () {
    yield* openAddresses
    const until = (yield* Clock.currentTimeMillis) + config.activeMs
    while ((yield* Clock.currentTimeMillis) < until) {
      const { deposit: more, payout, swap, withdrawal } = config.weights
      if (random.below(more + payout + swap + withdrawal) < more) yield* deposit
      else yield* Effect.forkChild(ask())
      yield* Effect.sleep(1 + random.below(2 * config.askEveryMs))
    }
    // what was begun is brought to its end
    yield* Effect.never
  })

  return { partner, work, get }
}

/** A partner at its work. */
export type WorkingPartner = ReturnType<typeof makePartner>
