import * as SignedOrders from "@bursar/vault/SignedOrders"
import * as SignerClient from "@bursar/signer/rpc/SignerClient"
import { Prices } from "@bursar/core/port/Prices"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Reconciler from "@bursar/worker/reconcile/Reconciler"
import { defaultSendLimits } from "@bursar/worker/transactions/SendLimits"
import { defaultSweepLimits } from "@bursar/worker/sweep/SweepLimits"
import { layerWatched } from "@bursar/testkit/fixtures/Places"
import { Clock, Effect, Layer, Option } from "effect"
import { layerLogs } from "../../src/assemble/logs.ts"
import { layerStorage } from "../../src/assemble/storage.ts"
import { layerNetworks } from "../../src/assemble/adapters.ts"
import { layerGrantsOf } from "../../src/assemble/grants.ts"
import { layerWorkOver } from "../../src/assemble/worker.ts"
import { workSettings } from "../../src/config/environment.ts"
import type { WorkSettings } from "../../src/config/Settings.ts"
import { killAt, killAtVariable } from "./killAt.ts"
import { lookVariable } from "./lookVariable.ts"

/** What coins cost, in dollars; tokens cost one. */
const dollars: Readonly<Record<string, bigint>> = { ETH: 2_000n, BTC: 60_000n }

const prices = Layer.succeed(
  Prices,
  Prices.of({
    usd: (currency) =>
      Effect.map(Clock.currentTimeMillis, (observedAt) => ({
        price: { units: dollars[currency] ?? 1n, decimals: 0 },
        source: "test",
        observedAt
      })),
    rate: () => Effect.succeed(null)
  })
)

const hurry = {
  limits: {
    ...defaultSendLimits,
    idleMs: 50,
    checkFirstMs: 200,
    checkLongestMs: 1_000,
    retryFirstMs: 300,
    retryLongestMs: 1_000
  },
  sweeps: {
    ...defaultSweepLimits,
    idleMs: 100,
    reconsiderMs: 1_000,
    retryFirstMs: 300,
    retryLongestMs: 1_000,
    followMs: 200,
    unseenMaxMs: 500,
    goneMaxMs: 500
  }
}

/** How often it looks for new blocks, and compares the books with them; as `bursar work` does, and never, where nothing is said. */
const lookMs = process.env[lookVariable] === undefined ? undefined : Number(process.env[lookVariable])

const often = <S extends { readonly pollIntervalMs: number | null; readonly others?: ReadonlyArray<S> }>(
  node: S
): S => ({
  ...node,
  pollIntervalMs: lookMs ?? node.pollIntervalMs,
  ...(node.others && { others: node.others.map(often) })
})

/** The settings with nodes that are asked often. */
const hurried = (settings: WorkSettings): WorkSettings => ({
  ...settings,
  networks: settings.networks.map((network) => {
    switch (network.family) {
      case "bitcoin":
        return often(network)
      case "evm":
        return often(network)
      case "stellar":
        return often(network)
      case "tron":
        return often(network)
    }
  })
})

const layerCompared = ({ currencies, reconciliation }: WorkSettings) =>
  lookMs === undefined
    ? Layer.empty
    : Reconciler.layer({
        currencies,
        limits: { ...reconciliation, everyMs: 5 * lookMs, pollMs: lookMs, atLeastMs: lookMs, secondLookMs: lookMs }
      })

/** All that works, with its ports watched: it dies at the place that the variable names. */
const layerWork = (settings: WorkSettings) =>
  Layer.merge(layerWorkOver(settings, hurry), layerCompared(settings)).pipe(
    Layer.provide(layerWatched(killAt(process.env[killAtVariable]))),
    Layer.provide(layerGrantsOf(settings)),
    Layer.provide(SignedOrders.layer(settings)),
    Layer.provide(SignerClient.layerGrantWitness(settings.signer)),
    Layer.provide(SignerClient.layerTransactionSigner(settings.signer)),
    Layer.provide(layerNetworks(settings.networks, settings.currencies))
  )

// `bursar work` but for the prices, the waiting and the death: the same layers, configured by the same variables.
const worker = Effect.flatMap(Effect.map(workSettings(Option.none()), hurried), (settings) =>
  Effect.logInfo("worker.started").pipe(
    Effect.andThen(Effect.never),
    Effect.provide(Layer.provide(layerWork(settings), layerStorage(settings, "hurried worker"))),
    Effect.provide(prices),
    Effect.provide(layerLogs(settings))
  )
)

NodeRuntime.runMain(Effect.provide(worker, NodeServices.layer))
