import { Effect } from "effect"
import type { Random } from "../kernel/Random.ts"
import type { Trust } from "../outside/Approvers.ts"
import type { World } from "../world/World.ts"
import { hourMs, makeDestining } from "./destining.ts"
import { grantAtOnce, grantByProposal } from "./granting.ts"
import type { PartnerOfWorld } from "./letIn.ts"
import { backdating } from "./theft/backdating.ts"

/** The most hours that destinations cool. */
const hoursMax = 3

/** What people grant of destinations: how long they cool, and others in their place. */
const makeTreasury = (world: World, trust: Trust, random: Random) => {
  const { assets, currencies, kernel, note } = world
  const granting = { trust, currencies, random }
  const destining = makeDestining(world, random)
  const { destination, hoursOf, newestFrom, recordAddress, recorded, recordWait, waiting } = destining

  const cool = Effect.fnUntraced(function* (partner: PartnerOfWorld, hours: number) {
    const granted = Effect.flatMap(waiting(partner, hours), (content) => grantAtOnce(granting, partner.id, content))
    if (yield* recorded(granted, recordWait(partner, hours)))
      note(`destinations of partner ${partner.index} cool for ${hours} hours`)
  })

  const move = Effect.fnUntraced(function* (partner: PartnerOfWorld, currency: string) {
    const earliest = kernel.now() + hoursOf(partner) * hourMs
    const moved = destination(currency, Math.max(earliest, newestFrom(partner, currency) + 1))
    const grant = random.chance(500) ? grantByProposal : grantAtOnce
    if (yield* recorded(grant(granting, partner.id, moved), recordAddress(partner, moved)))
      note(`partner ${partner.index} will withdraw ${currency} to another destination`)
  })

  const someCurrency = (): string => random.pick(assets.withdrawn)

  return { cool, move, someCurrency, random, granting, destining }
}

/** People at their work with destinations while partners are at theirs, and a thief beside them. */
export const tend = (world: World, partners: ReadonlyArray<PartnerOfWorld>) => {
  const { config, faults, trust } = world
  if (config.cooling === null || trust === null) return Effect.void
  const treasury = makeTreasury(world, trust, world.random.for("treasury"))
  const { cool, destining, move, random, someCurrency } = treasury
  const backdate = backdating(world, treasury)
  const round = Effect.gen(function* () {
    yield* Effect.sleep(2_000 + random.below(6_000))
    for (const partner of partners) {
      const hours = destining.hoursOf(partner)
      if (hours > 0 && faults.strikes("operator.shortens_wait")) yield* cool(partner, random.below(hours))
      else if (hours < hoursMax && faults.strikes("operator.lengthens_wait")) yield* cool(partner, hours + 1)
      if (faults.strikes("operator.moves_destination")) yield* move(partner, someCurrency())
      yield* backdate(partner, someCurrency())
    }
  })
  return Effect.forever(Effect.orDie(round))
}

/** What people grant on the day before, and how long it is from then until the world goes on. */
export const grantBefore = Effect.fnUntraced(function* (
  world: World,
  trust: Trust,
  partners: ReadonlyArray<PartnerOfWorld>
) {
  const { assets, config } = world
  if (config.cooling === null) return 0
  const { begins, hours, shortenedTo } = config.cooling
  const { cool, move, random } = makeTreasury(world, trust, world.random.for("day before"))
  for (const partner of partners) {
    yield* cool(partner, hours)
    if (shortenedTo !== null) yield* cool(partner, shortenedTo)
    for (const currency of assets.withdrawn) yield* move(partner, currency)
  }
  const waits = begins === "by_document" ? (shortenedTo ?? hours) : hours
  return Math.max(0, waits * hourMs - random.below(config.activeMs))
})
