import * as MasterKeySecretBox from "@bursar/vault/MasterKeySecretBox"
import * as SealedVault from "@bursar/vault/SealedVault"
import { Cause, Effect, type Exit, Layer } from "effect"
import { startFleet } from "../fleet/Fleet.ts"
import { makeHost } from "../process/Host.ts"
import { layerPorts } from "../fleet/ports.ts"
import { thief } from "../people/theft/thief.ts"
import { masterKeys } from "../fleet/settings.ts"
import { judge } from "../judge/judge.ts"
import { pending } from "../judge/pending.ts"
import { tell } from "../judge/Told.ts"
import { noFaults } from "../outside/Faults.ts"
import { hush, seedPlatform } from "../kernel/platform.ts"
import { funding } from "../people/funding.ts"
import { layerOffice, operate } from "../people/office.ts"
import { webhooks } from "../people/connection.ts"
import { makePartner } from "../people/partner.ts"
import { letIn, type PartnerOfWorld } from "../people/letIn.ts"
import { grantBefore, tend } from "../people/treasury.ts"
import { mining, trouble } from "../people/trouble.ts"
import { makeWorld, type World, type WorldOptions } from "../world/World.ts"

/** How a world ended. */
export interface Outcome {
  readonly seed: number
  /** What the judges found; nothing where all was right. */
  readonly violations: ReadonlyArray<string>
  readonly world: World
  readonly digest: string
}

const sliceMs = 5_000

/** In so long a signer has looked at what has grown. */
const seenMs = 12_000

/** Does something in the world and waits for it. */
const carryOut = <A>({ kernel, patienceMs }: World, effect: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.gen(function* () {
    let done: Exit.Exit<A> | undefined
    kernel.start(Effect.map(Effect.exit(effect), (exit) => void (done = exit)))
    yield* kernel.run(kernel.now() + patienceMs, () => done !== undefined)
    return yield* done ?? Effect.die(new Error("it never came to its end"))
  })

const found = (world: World): Effect.Effect<ReadonlyArray<PartnerOfWorld>> => {
  const random = world.random.for("founder")
  const gate = { host: makeHost("founder"), kernel: world.kernel, faults: noFaults, random }
  const ports = Layer.mergeAll(
    SealedVault.layer(masterKeys, world.currencies.networks),
    MasterKeySecretBox.layer(masterKeys)
  ).pipe(Layer.provideMerge(layerPorts(gate, world)))
  const all = Effect.forEach(Array.from({ length: world.config.tenants }), (_, index) => letIn(world, index))
  return carryOut(world, Effect.provide(Effect.orDie(all), ports))
}

/** On the day before, where destinations cool, people grant some to a signer that runs alone and sees it. Then nothing runs for hours. */
const dayBefore = Effect.fnUntraced(function* (world: World, partners: ReadonlyArray<PartnerOfWorld>) {
  const { config, kernel, note, patienceMs, records, trust } = world
  if (config.cooling === null || trust === null) return
  const fleet = startFleet(world, "signer")
  yield* kernel.run(kernel.now() + patienceMs, () => records.watchesGrants)
  const granting = Effect.orDie(Effect.provide(grantBefore(world, trust, partners), layerOffice(world)))
  const leftMs = yield* carryOut(world, granting)
  yield* kernel.run(kernel.now() + seenMs, () => false)
  fleet.stop()
  note("the day before is over")
  yield* kernel.run(kernel.now() + leftMs, () => false)
})

const live = Effect.fnUntraced(function* (world: World) {
  const { config, faults, hints, kernel, patienceMs } = world
  const partners = yield* found(world)
  yield* dayBefore(world, partners)
  const fleet = startFleet(world)
  hints.through(webhooks(fleet))
  const working = partners.map((partner) => makePartner(world, fleet, partner))
  for (const { work } of working) kernel.start(work)
  kernel.start(Effect.provide(operate(world, partners), layerOffice(world)))
  kernel.start(trouble(world, fleet))
  kernel.start(mining(world))
  kernel.start(thief(world, partners))
  kernel.start(Effect.provide(tend(world, partners), layerOffice(world)))
  kernel.start(funding(world, partners))
  yield* kernel.run(kernel.now() + config.activeMs, () => false)
  world.note("nothing goes wrong any more")
  faults.end()
  for (const host of fleet.hosts()) host.offMs = 0
  const latest = kernel.now() + patienceMs
  const open = () => [
    ...working.filter(({ isAtWork }) => isAtWork()).map(({ partner }) => `partner ${partner.index} is at work`),
    ...pending(world, partners)
  ]
  let left = open()
  while (left.length > 0 && kernel.now() < latest) {
    yield* kernel.run(kernel.now() + sliceMs, () => false)
    left = open()
  }
  if (left.length > 0) {
    fleet.stop()
    return left.map((what) => `liveness: ${what}`)
  }
  const told = yield* carryOut(
    world,
    Effect.forEach(working, (one) => tell(one.partner, one))
  )
  fleet.stop()
  return yield* carryOut(world, judge(world, told))
})

/** What a world is said to have done wrong that threw. One that took too many steps only did not end, whatever it was doing then. */
const thrown = ({ kernel, stepsMax }: World, cause: Cause.Cause<never>): string =>
  kernel.steps() > stepsMax ? `end: it did not end in ${stepsMax} steps` : `world: ${Cause.pretty(cause)}`

const run = (options: WorldOptions): Effect.Effect<Outcome> =>
  Effect.suspend(() => {
    const world = makeWorld(options)
    const restore = seedPlatform(world.random.for("platform"), world.kernel.stirred, world.network.fetch)
    const speak = world.verbose ? () => undefined : hush()
    const traced = Error.stackTraceLimit
    // each call of a function of effects makes an error for its place, and few worlds are ever looked at
    if (!world.verbose) Error.stackTraceLimit = 0
    return live(world).pipe(
      Effect.catchCause((cause) => Effect.succeed([thrown(world, cause)])),
      Effect.map((violations) => ({ seed: options.seed, violations, world, digest: world.digest() })),
      Effect.ensuring(
        Effect.sync(() => {
          Error.stackTraceLimit = traced
          speak()
          restore()
        })
      )
    )
  })

let isWarm = false

/** What is built once and kept takes other turns when it is built: so the first world of a process is one that nobody looks at. */
const warmUp = Effect.suspend(() => {
  if (isWarm) return Effect.void
  isWarm = true
  return run({ seed: 1, activeMs: 0, patienceMs: 0 })
})

/** Runs a world of a seed from its beginning to its end, and judges it. One at a time in a process. */
export const runWorld = (options: WorldOptions): Effect.Effect<Outcome> => Effect.andThen(warmUp, run(options))
