import { Effect } from "effect"
import type { Fleet } from "../fleet/Fleet.ts"
import type { World } from "../world/World.ts"

/** How far a clock may jump. */
const offMsMax = 90_000

/** What happens to processes from outside: they die, lose what they lead, and their clocks jump. */
export const trouble = ({ election, faults, note, random, records }: World, fleet: Fleet) => {
  const draws = random.for("trouble")
  const some = <A>(list: ReadonlyArray<A>): A | undefined => list[draws.below(list.length)]
  const round = Effect.sync(() => {
    const host = some(fleet.hosts())
    if (host !== undefined && faults.strikes("clock.jumps", host.name.replace(/ .*/u, ""))) {
      host.offMs = draws.below(2 * offMsMax) - offMsMax
      records.skewMs = Math.max(records.skewMs, Math.abs(host.offMs))
      note(`the clock of ${host.name} is off by ${host.offMs}`)
    }
    const led = some(election.led())
    if (led !== undefined && faults.strikes("leader.deposed", led)) {
      note(`${led} is led by another`)
      election.depose(led)
    }
    if (host !== undefined && faults.strikes("process.dies", host.name.replace(/ .*/u, ""))) host.die()
  })
  return Effect.forever(Effect.andThen(Effect.sleep(1_000 + draws.below(5_000)), round))
}

/** Blocks, as time passes. */
export const mining = ({ chain, config, kernel }: World) =>
  Effect.forever(
    Effect.andThen(
      Effect.sleep(config.blockMs),
      Effect.sync(() => chain.mine(kernel.now()))
    )
  )
