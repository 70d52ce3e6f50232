import type { Command } from "@bursar/core/engine/Command"
import { leaseEpoch } from "@bursar/core/engine/fenced"
import { RandomBytes } from "@bursar/core/engine/Ids"
import { type Grants, layer as layerGrants } from "@bursar/core/grant/Grants"
import { GrantStore } from "@bursar/core/grant/GrantStore"
import { Storage } from "@bursar/core/engine/Storage"
import { StorageError } from "@bursar/core/engine/StorageError"
import { Tenants } from "@bursar/core/port/Tenants"
import * as Writer from "@bursar/core/engine/Writer"
import { Custodian } from "@bursar/core/port/Custodian"
import { Deliveries } from "@bursar/core/port/Deliveries"
import { FiatProvider } from "@bursar/core/port/FiatProvider"
import { IdentityProvider } from "@bursar/core/port/IdentityProvider"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { KeyStore } from "@bursar/core/port/KeyStore"
import { Leadership } from "@bursar/core/port/Leadership"
import { Networks, makeNetworks } from "@bursar/core/port/Networks"
import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import { Prices } from "@bursar/core/port/Prices"
import { Quarantine } from "@bursar/core/port/Quarantine"
import { RateLimits } from "@bursar/core/port/RateLimits"
import { Queries } from "@bursar/core/store/Queries"
import { WatchState } from "@bursar/core/store/WatchState"
import * as SignedRegistrations from "@bursar/vault/SignedRegistrations"
import { poolAdapter } from "@bursar/worker/nodes/poolAdapter"
import { Clock, type Context, Effect, Layer, Logger, Random, Scheduler } from "effect"
import { layerStored } from "../stored/noting.ts"
import type { World } from "../world/World.ts"
import { registersAddresses } from "../world/WorldConfig.ts"
import { defectLogger, type Gate, passing } from "../process/Host.ts"
import { through } from "../kernel/through.ts"
import { layerPatience } from "./patience.ts"
import { authority } from "./settings.ts"

const refused = () => new StorageError({ doing: "whatever it was", cause: new Error("as the seed has it") })

/** The port as it is reached through a gate. What its calls fail with, if they do, is a `StorageError`. */
const gated = <I, S extends object>(gate: Gate, port: Context.Key<I, S>): Layer.Layer<I, never, I> =>
  Layer.effect(
    port,
    Effect.map(port, (service) =>
      through(service, port.key.slice(port.key.lastIndexOf("/") + 1), (what, call) =>
        // the storage's own ports fail with a StorageError, and with nothing else that a fault may stand for
        passing(gate, what, call, refused as never)
      )
    )
  )

/** The leaderships that a command says it has been sent under. */
const fencesOf = ({ reads }: Command<unknown>): ReadonlyArray<string> =>
  reads.flatMap((read) => (read._tag === "Fact" && read.of.name === leaseEpoch.name ? [read.key] : []))

/** Commits as a process makes them: what its commands change is watched, and mistakes are planted in them. */
const storage = (gate: Gate, { coverage, election, plant, records }: World): Layer.Layer<Storage, never, Storage> =>
  Layer.effect(
    Storage,
    Effect.map(Storage, ({ commit }) =>
      Storage.of({
        commit: (tenantId, commands, context) => {
          const watched = commands.map((command) => coverage.watch(plant.command?.(command) ?? command))
          const names = commands.map(({ name }) => name).join("+")
          const call = Effect.tap(
            commit(
              tenantId,
              watched.map(({ command }) => command),
              context
            ),
            (exits) =>
              Effect.sync(() =>
                exits.forEach((exit, at) => {
                  watched[at]?.ended(exit)
                  const command = commands[at]
                  if (exit._tag === "Failure" || command === undefined) return
                  const others = fencesOf(command).filter((name) => {
                    const leader = election.leaderOf(name)
                    return leader !== undefined && leader !== gate.host
                  })
                  for (const name of others) records.deposed.push(`${command.name} under ${name}`)
                })
              )
          )
          // the store writes in one go, and who led then is to be known of that moment
          const atOnce = Effect.provideService(call, Scheduler.PreventSchedulerYield, true)
          return passing(gate, names, atOnce, refused)
        }
      })
    )
  )

const wide = 2 ** 48

/** What every process lives in: the time and the turns of its world, and luck of its own. */
const layerSurroundings = ({ host, kernel, random }: Gate, { records, verbose }: World) => {
  const [numbers, bytes] = [random.for("numbers"), random.for("bytes")]
  return Layer.mergeAll(
    Layer.succeed(
      Clock.Clock,
      kernel.clock(() => host.offMs)
    ),
    Layer.succeed(Scheduler.Scheduler, kernel.scheduler),
    Layer.succeed(Random.Random, {
      nextIntUnsafe: () => numbers.below(2 ** 32) - 2 ** 31,
      nextDoubleUnsafe: () => numbers.below(wide) / wide
    }),
    Layer.succeed(RandomBytes, (length) => bytes.bytes(length)),
    Logger.layer([
      defectLogger(host, (defect) => void records.defects.add(defect)),
      ...(verbose ? [Logger.consolePretty()] : [])
    ])
  )
}

/** What grants say, to a process or an office of a world. Where there are none, rows decide, and nobody asks for them. */
export const layerGrantsOf = ({ trust }: Pick<World, "trust">): Layer.Layer<Grants, never, GrantStore> =>
  trust === null ? (Layer.empty as Layer.Layer<Grants>) : layerGrants(trust.trust)

/** The ports of a process over the storage that all share. */
export const layerPorts = (gate: Gate, world: World) => {
  const { bank, election, exchange, market, plant, verifier } = world
  const { host } = gate
  const ask = <A, E>(what: string, answer: Effect.Effect<A, E>) => passing(gate, what, answer)
  const nodes = world.network.reachedBy(ask)
  const pooled = nodes.length === 1 ? nodes[0].adapter : poolAdapter(nodes)
  const network = plant.nodes?.(nodes, pooled) ?? pooled
  const custodian = exchange.reachedBy(ask)
  const fiat = FiatProvider.of(bank.reachedBy(ask))
  const identity = IdentityProvider.of(verifier.reachedBy(ask))
  const own = Layer.mergeAll(
    Layer.succeed(Networks, makeNetworks([plant.network?.(network) ?? network])),
    Layer.succeed(Custodian, plant.custodian?.(custodian) ?? custodian),
    Layer.succeed(Prices, plant.prices?.(market.prices) ?? market.prices),
    Layer.succeed(FiatProvider, plant.fiat?.(fiat) ?? fiat),
    Layer.succeed(IdentityProvider, plant.identity?.(identity) ?? identity),
    Layer.succeed(Leadership, election.reachedBy(host))
  )
  const deliveries = Layer.effect(
    Deliveries,
    Effect.map(Deliveries, (service) => plant.deliveries?.(service) ?? service)
  )
  const stored = Layer.mergeAll(
    storage(gate, world),
    gated(gate, Queries),
    gated(gate, JobQueue),
    gated(gate, WatchState),
    gated(gate, Deliveries),
    gated(gate, KeyStore),
    gated(gate, Tenants),
    gated(gate, NetworkSwitches),
    gated(gate, Quarantine),
    gated(gate, RateLimits),
    gated(gate, GrantStore)
  ).pipe(
    Layer.provide(
      layerPatience(gate, world).pipe(Layer.provideMerge(deliveries), Layer.provideMerge(layerStored(world)))
    )
  )
  const trusted = Layer.mergeAll(Writer.layer, layerGrantsOf(world))
  const registered = SignedRegistrations.layer({ publicAuthorities: [authority] })
  return (registersAddresses(world.config) ? Layer.merge(trusted, registered) : trusted).pipe(
    Layer.provideMerge(Layer.mergeAll(layerStored(world), stored, own)),
    Layer.provideMerge(layerSurroundings(gate, world))
  )
}
