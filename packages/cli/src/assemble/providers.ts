import { layerBridge } from "@bursar/bridge/BridgeFiat"
import * as CcxtCustodian from "@bursar/ccxt/CcxtCustodian"
import * as CcxtPrices from "@bursar/ccxt/CcxtPrices"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { Custodian } from "@bursar/core/port/Custodian"
import { EarlierCustodians } from "@bursar/core/port/EarlierProviders"
import { layerSumsub } from "@bursar/sumsub/SumsubIdentity"
import { Context, Effect, Layer } from "effect"
import type { CustodianSettings, ProviderSettings } from "../config/ProviderSettings.ts"

const layerExchange = (currencies: CurrencyTable, { apiKey, exchange, passphrase, secret }: CustodianSettings) =>
  CcxtCustodian.layer({
    exchange,
    currencies,
    credentials: { apiKey, secret, ...(passphrase === null ? {} : { passphrase }) }
  })

const custodian = (currencies: CurrencyTable, { custodian: settings }: ProviderSettings) =>
  settings === null ? Layer.empty : layerExchange(currencies, settings)

/** Those that only finish what they have. */
const earlierCustodians = (currencies: CurrencyTable, { earlierCustodians: all }: ProviderSettings) =>
  Layer.effect(
    EarlierCustodians,
    Effect.forEach(all, (settings) =>
      Effect.map(Layer.build(Layer.fresh(layerExchange(currencies, settings))), (services) =>
        Context.get(services, Custodian)
      )
    )
  )

const prices = (currencies: CurrencyTable, { prices: exchange }: ProviderSettings) =>
  exchange === null ? Layer.empty : CcxtPrices.layer({ exchange, currencies })

const identity = ({ identity: settings }: ProviderSettings) => (settings === null ? Layer.empty : layerSumsub(settings))

const fiat = (currencies: CurrencyTable, { fiat: settings }: ProviderSettings) =>
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
export const layerProviders = ({
  currencies,
  providers
}: {
  readonly currencies: CurrencyTable
  readonly providers: ProviderSettings
}) =>
  Layer.mergeAll(
    custodian(currencies, providers),
    earlierCustodians(currencies, providers),
    prices(currencies, providers),
    identity(providers),
    fiat(currencies, providers)
  )

/** Providers that a process may do without, whichever they are. */
export type Providers = Layer.Layer<
  never,
  Layer.Error<ReturnType<typeof layerProviders>>,
  Layer.Services<ReturnType<typeof layerProviders>>
>
