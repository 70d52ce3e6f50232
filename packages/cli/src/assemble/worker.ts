import { layerFromEnvironment } from "@bursar/worker/transactions/Failpoint"
import * as Sender from "@bursar/worker/sender/Sender"
import type { SenderOptions } from "@bursar/worker/sender/Sender"
import { layer as layerWorker } from "@bursar/worker/Worker"
import { Layer } from "effect"
import type { Settings } from "../config/Settings.ts"
import { layerNetworks } from "./adapters.ts"
import { layerSigner } from "./vault.ts"

/** How fast it sends and sweeps; the defaults where nothing is said. */
export type SendingPace = Pick<SenderOptions, "limits" | "sweeps">

/** Builds, signs, sends and follows what is to be paid on the networks that have a node. */
const layerSending = (settings: Settings, pace: SendingPace) => {
  const { currencies } = settings
  return Sender.layer({ currencies, payoutsOff: settings.payoutsOff, ...pace }).pipe(
    Layer.provide(layerSigner(settings, currencies)),
    Layer.provide(layerFromEnvironment)
  )
}

/** All that works beside the server, for as long as the layer lives: watching, sending, providers, webhooks. */
export const layerWork = (settings: Settings, pace: SendingPace = {}) =>
  Layer.merge(
    layerWorker({
      currencies: settings.currencies,
      serviceName: settings.serviceName,
      sandboxMayReachLocal: settings.webhooksToPrivateAddresses === "sandbox"
    }),
    layerSending(settings, pace)
  ).pipe(Layer.provide(layerNetworks(settings.networks, settings.currencies)))
