import { layerBridge } from "@bursar/bridge/BridgeFiat"
import * as CcxtCustodian from "@bursar/ccxt/CcxtCustodian"
import * as CcxtPrices from "@bursar/ccxt/CcxtPrices"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { Custodian } from "@bursar/core/port/Custodian"
import { EarlierCustodians } from "@bursar/core/port/EarlierProviders"
import { layerSumsub } from "@bursar/sumsub/SumsubIdentity"
import { Context, Effect, Layer } from "effect"
import type { CustodianSettings, ProviderSettings } from "../config/ProviderSettings.ts"

const currencies = defaultCurrencies

const layerExchange = ({ apiKey, exchange, passphrase, secret }: CustodianSettings) =>
  CcxtCustodian.layer({
    exchange,
    currencies,
    credentials: { apiKey, secret, ...(passphrase === null ? {} : { passphrase }) }
  })

const custodian = ({ custodian: settings }: ProviderSettings) =>
  settings === null ? Layer.empty : layerExchange(settings)

/** Those that only finish what they have. */
const earlierCustodians = ({ earlierCustodians: all }: ProviderSettings) =>
  Layer.effect(
    EarlierCustodians,
    Effect.forEach(all, (settings) =>
      Effect.map(Layer.build(Layer.fresh(layerExchange(settings))), (services) => Context.get(services, Custodian))
    )
  )

const prices = ({ prices: exchange }: ProviderSettings) =>
  exchange === null ? Layer.empty : CcxtPrices.layer({ exchange, currencies })

const identity = ({ identity: settings }: ProviderSettings) => (settings === null ? Layer.empty : layerSumsub(settings))

const fiat = ({ fiat: settings }: ProviderSettings) =>
  settings === null
    ? Layer.empty
    : layerBridge({
        apiKey: settings.apiKey,
        webhookPublicKeys: [settings.webhookPublicKey],
        ownCustomerId: settings.customerId,
        holdings: settings.holdings,
        currencies,
        ...(settings.url === null ? {} : { baseUrl: settings.url })
      })

/**
 * The providers that are configured. What server and worker do not find they do without: prices are unknown, products are not
 * enabled.
 */
export const layerProviders = (settings: ProviderSettings) =>
  Layer.mergeAll(custodian(settings), earlierCustodians(settings), prices(settings), identity(settings), fiat(settings))
