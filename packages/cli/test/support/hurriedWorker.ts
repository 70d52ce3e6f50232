import * as SignerClient from "@bursar/signer/rpc/SignerClient"
import { Prices } from "@bursar/core/port/Prices"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { defaultSendLimits } from "@bursar/worker/transactions/SendLimits"
import { defaultSweepLimits } from "@bursar/worker/sweep/SweepLimits"
import { layerWatched } from "@bursar/testkit/fixtures/Places"
import { Clock, Effect, Layer, Option } from "effect"
import { layerLogs } from "../../src/assemble/logs.ts"
import { layerStorage } from "../../src/assemble/storage.ts"
import { layerNetworks } from "../../src/assemble/adapters.ts"
import { layerWorkOver } from "../../src/assemble/worker.ts"
import { workSettings } from "../../src/config/environment.ts"
import type { WorkSettings } from "../../src/config/Settings.ts"
import { killAt, killAtVariable } from "./killAt.ts"

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

/** All that works, with its ports watched: it dies at the place that the variable names. */
const layerWork = (settings: WorkSettings) =>
  layerWorkOver(settings, hurry).pipe(
    Layer.provide(layerWatched(killAt(process.env[killAtVariable]))),
    Layer.provide(SignerClient.layerTransactionSigner(settings.signer)),
    Layer.provide(layerNetworks(settings.networks, settings.currencies))
  )

// `bursar work` but for the prices, the waiting and the death: the same layers, configured by the same variables.
const worker = Effect.flatMap(workSettings(Option.none()), (settings) =>
  Effect.logInfo("worker.started").pipe(
    Effect.andThen(Effect.never),
    Effect.provide(Layer.provide(layerWork(settings), layerStorage(settings, "hurried worker"))),
    Effect.provide(prices),
    Effect.provide(layerLogs(settings))
  )
)

NodeRuntime.runMain(Effect.provide(worker, NodeServices.layer))
