import { grantedLimits } from "@bursar/core/grant/GrantState"
import { GrantStore } from "@bursar/core/grant/GrantStore"
import { SigningView } from "@bursar/core/port/SigningView"
import { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { limitsOfGrants } from "@bursar/signer/SignerLimits"
import { makeKeptGrants, watchFleet } from "@bursar/signer/KeptGrants"
import { makeGrantWitness } from "@bursar/signer/makeGrantWitness"
import * as RememberingSigner from "@bursar/signer/RememberingSigner"
import { openStore, type SignerStore, type StoreWord } from "@bursar/signer/store/SignerStore"
import type { StoreUnusable } from "@bursar/signer/store/StoreUnusable"
import { watchTenants } from "@bursar/signer/watchTenants"
import * as SealedSigner from "@bursar/vault/SealedSigner"
import { Cause, Context, Effect, Layer } from "effect"
import { type Gate, passing } from "../process/Host.ts"
import type { SignerServices } from "../process/SignerDesk.ts"
import { through } from "../kernel/through.ts"
import type { World } from "../world/World.ts"
import { layerPorts } from "./ports.ts"
import { authority, masterKeys } from "./settings.ts"
import { signingViewOf } from "./signingView.ts"
import type { Trust } from "../outside/Approvers.ts"

/** How long an operator looks at a store that is lost before starting a new one. */
const lookMs = 4_000

/** The store, from which is heard when it begins to count since when grants are known. */
const heard = (store: SignerStore, { records }: World): SignerStore => ({
  ...store,
  commit: (entry) =>
    Effect.tap(store.commit(entry), () =>
      Effect.sync(() => {
        if (entry._tag === "GrantsWatched") records.watchesGrants = true
      })
    )
})

const open = Effect.fnUntraced(function* (
  gate: Gate,
  world: World,
  { trust }: Trust,
  word?: StoreWord,
  givingUp?: string
) {
  const { config, currencies, disk, plant, records, state } = world
  const view = through(signingViewOf(state), "SigningView", (what, call) => passing(gate, what, call))
  const real = disk.reachedBy(gate)
  const directory = plant.disk?.(real) ?? real
  const store = yield* openStore({ directory, ...(word && { word }), ...(givingUp && { givingUp }) }, view)
  if (word === "recover") records.recovered.push(world.kernel.now())
  const chains = yield* GrantStore
  const kept = yield* makeKeptGrants({ trust, chains, store })
  const grants = plant.grants?.(kept) ?? kept
  const remembered = plant.store?.(store) ?? store
  yield* Effect.forkScoped(watchFleet(kept))
  if (config.cooling !== null)
    yield* Effect.forkScoped(watchTenants({ grants: kept, chains, store: heard(store, world) }))
  const signer = RememberingSigner.layer({
    currencies,
    store: remembered,
    // it has the network's own node to ask what became of what expired
    proving: [config.network],
    ...(config.trust?.requestAgeMaxMs != null && { requestAgeMaxMs: config.trust.requestAgeMaxMs }),
    grantedLimits: (tenantId) => {
      const seen = grants.lastSeen(tenantId)
      return seen && limitsOfGrants(grantedLimits(seen), currencies)
    }
  }).pipe(
    Layer.provide(SealedSigner.layer(masterKeys, { currencies, publicAuthorities: [authority], grants })),
    Layer.provide(Layer.succeed(SigningView, view))
  )
  return {
    signer: Context.get(yield* Layer.build(signer), TransactionSigner),
    ...(config.cooling !== null && { witness: makeGrantWitness({ grants, store: remembered }) })
  } satisfies SignerServices
})

/** Recovers a store that is lost. One that began by a recovery itself is given up by the id that the refusal names. */
const recover = (gate: Gate, world: World, trust: Trust) =>
  Effect.catchTag(open(gate, world, trust, "recover"), "StoreUnusable", (error: StoreUnusable) => {
    const [, id] = /--giving-up (\S+)/u.exec(error.reason) ?? []
    return id === undefined ? Effect.fail(error) : open(gate, world, trust, "recover", id)
  })

/** Starts the process that holds the keys. Where its store is lost an operator says so, and it begins a new one. */
export const startSigner = (gate: Gate, world: World, trust: Trust): void => {
  const { host, kernel } = gate
  const { disk, note, plant, records } = world
  const opened = Effect.catchTag(open(gate, world, trust), "StoreUnusable", (error: StoreUnusable) => {
    note(`the signer does not start: ${error.reason}`)
    // what is no loss of the store is over when it is started again
    if (!error.reason.includes("--recover")) return Effect.fail(error)
    if (!disk.lostSynced()) records.unopened.push(error.reason)
    return Effect.andThen(Effect.sleep(lookMs), recover(gate, world, trust))
  })
  const working = Effect.gen(function* () {
    const { signer, ...others } = yield* opened
    const surroundings = yield* Effect.context<never>()
    note(`${host.name} signs`)
    world.desk.open(host, { ...others, signer: plant.signer?.(signer) ?? signer }, surroundings)
    return yield* Effect.never
  })
  const running = Effect.scoped(Effect.provide(working, layerPorts(gate, world))).pipe(
    Effect.catchCause((cause) =>
      Effect.sync(() => {
        if (!Cause.hasInterruptsOnly(cause)) host.die()
      })
    )
  )
  const fiber = Effect.runFork(running, { scheduler: kernel.scheduler })
  host.onDeath(() => fiber.interruptUnsafe())
}
