import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { layer as layerWorker } from "@bursar/worker/Worker"
import { Layer } from "effect"
import type { Settings } from "../config/Settings.ts"
import { layerChains } from "./networks.ts"

/** Watches the networks that have a node and delivers webhooks, for as long as the layer lives. */
export const layerWork = (settings: Settings) =>
  layerWorker({
    currencies: defaultCurrencies,
    serviceName: settings.serviceName,
    sandboxMayReachLocal: settings.webhooksToPrivateAddresses === "sandbox"
  }).pipe(Layer.provide(layerChains(settings.networks, defaultCurrencies)))
