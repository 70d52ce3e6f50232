import { layerBridge } from "@bursar/bridge/BridgeFiat"
import * as CcxtCustodian from "@bursar/ccxt/CcxtCustodian"
import * as CcxtPrices from "@bursar/ccxt/CcxtPrices"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { layerSumsub } from "@bursar/sumsub/SumsubIdentity"
import { Layer } from "effect"
import type { ProviderSettings } from "../config/ProviderSettings.ts"

const currencies = defaultCurrencies

const custodian = ({ custodian: settings }: ProviderSettings) =>
  settings === null
    ? Layer.empty
    : CcxtCustodian.layer({
        exchange: settings.exchange,
        currencies,
        credentials: {
          apiKey: settings.apiKey,
          secret: settings.secret,
          ...(settings.passphrase === null ? {} : { passphrase: settings.passphrase })
        }
      })

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
  Layer.mergeAll(custodian(settings), prices(settings), identity(settings), fiat(settings))
