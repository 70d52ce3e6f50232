import type { Network } from "@bursar/core/money/Network"
import { Custodian } from "@bursar/core/port/Custodian"
import { FiatProvider } from "@bursar/core/port/FiatProvider"
import { IdentityProvider } from "@bursar/core/port/IdentityProvider"
import { Prices } from "@bursar/core/port/Prices"
import {
  devnetPayer,
  type DevnetEndpoint,
  SandboxControl,
  SandboxCustodian,
  SandboxFiat,
  SandboxIdentity,
  SandboxPrices,
  SandboxStore
} from "@bursar/sandbox"
import { Context, Effect } from "effect"
import type { HandshakeNetworks } from "@bursar/cli/config/Handshake"
import { stockOf } from "./demoMoney.ts"
import { localCurrencies } from "./localCurrencies.ts"

const endpointsOf = (networks: HandshakeNetworks): Readonly<Record<Network, DevnetEndpoint>> => {
  const evm = (network: "ethereum" | "bsc" | "base"): DevnetEndpoint => ({
    controlUrl: networks[network].control_url,
    nodeUrl: networks[network].rpc_url
  })
  return {
    ethereum: evm("ethereum"),
    bsc: evm("bsc"),
    base: evm("base"),
    bitcoin: { controlUrl: networks.bitcoin.control_url, nodeUrl: networks.bitcoin.rpc_url },
    tron: { controlUrl: networks.tron.control_url, nodeUrl: networks.tron.url },
    stellar: { controlUrl: networks.stellar.control_url, nodeUrl: networks.stellar.horizon_url }
  }
}

/**
 * Starts the providers of a local service, which keep what they know in the data directory, and their controls. The custodian
 * pays in real transactions on the local networks.
 */
export const startSandbox = Effect.fn("dev.startSandbox")(function* (
  directory: string,
  networks: HandshakeNetworks,
  port: number
) {
  const store = yield* SandboxStore.directory(directory)
  const prices = yield* SandboxPrices.make({ store })
  const payer = devnetPayer(endpointsOf(networks), localCurrencies)
  const custodian = yield* SandboxCustodian.make({ store, prices: prices.prices, payer, stock: stockOf("custodian") })
  const fiat = yield* SandboxFiat.make({ store, prices: prices.prices, stock: stockOf("bank") })
  const identity = yield* SandboxIdentity.make({ store, verificationUrl: "https://verify.sandbox.invalid/identity" })
  const routes = [...prices.routes, ...custodian.routes, ...fiat.routes, ...identity.routes]
  const { url } = yield* SandboxControl.serve(routes, port)
  const providers = Context.make(Prices, prices.prices).pipe(
    Context.add(Custodian, custodian.custodian),
    Context.add(FiatProvider, fiat.provider),
    Context.add(IdentityProvider, identity.provider)
  )
  return { controlUrl: url, payer, providers }
})
