import { parseBitcoinAddress } from "@bursar/bitcoin/BitcoinAddress"
import { makeBitcoinChain } from "@bursar/bitcoin/BitcoinChain"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Network } from "@bursar/core/money/Network"
import { AddressFormats } from "@bursar/core/port/AddressFormats"
import { type ChainError, type ChainReader, Chains } from "@bursar/core/port/Chain"
import { parseEvmAddress } from "@bursar/evm/EvmAddress"
import { makeEvmChain } from "@bursar/evm/EvmChain"
import { parseStellarAddress } from "@bursar/stellar/StellarAddress"
import { makeStellarChain } from "@bursar/stellar/StellarChain"
import { parseTronAddress } from "@bursar/tron/TronAddress"
import { makeTronChain } from "@bursar/tron/TronChain"
import { Effect, Layer, Result } from "effect"
import type { NetworkSettings } from "../config/NetworkSettings.ts"

/**
 * A reader that says nothing until its node has said that it is of the right chain: on another chain addresses look right
 * and everything else is wrong. Asked once; a node that does not answer is asked again in the next pass.
 */
const guarded = (chain: ChainReader, verify: Effect.Effect<void, ChainError>): ChainReader => {
  let verified = false
  const once = Effect.suspend(() =>
    verified
      ? Effect.void
      : Effect.andThen(
          verify,
          Effect.sync(() => {
            verified = true
          })
        )
  )
  return { ...chain, tip: Effect.andThen(once, chain.tip) }
}

const pace = ({ pollIntervalMs }: NetworkSettings) => (pollIntervalMs === null ? {} : { pollIntervalMs })

const depthAndPace = (settings: Exclude<NetworkSettings, { readonly network: "stellar" }>) => ({
  ...(settings.confirmations === null ? {} : { confirmations: settings.confirmations }),
  ...pace(settings)
})

const readerOf = (currencies: CurrencyTable, settings: NetworkSettings): ChainReader => {
  switch (settings.network) {
    case "stellar": {
      const { horizonUrl, networkPassphrase, rpcUrl } = settings
      const stellar = makeStellarChain({
        horizonUrl,
        networkPassphrase,
        assets: currencies.contracts("stellar"),
        ...(rpcUrl === null ? {} : { rpcUrl }),
        ...pace(settings)
      })
      return guarded(stellar, stellar.verifyNetwork)
    }
    case "bitcoin": {
      const { chain, rpcUrl } = settings
      const bitcoin = makeBitcoinChain({ rpcUrl, chain, ...depthAndPace(settings) })
      return guarded(bitcoin, bitcoin.verifyChain)
    }
    case "tron": {
      const { apiKey, genesisBlockId, nodeUrl, solidityUrl } = settings
      const tron = makeTronChain({
        nodeUrl,
        contracts: currencies.contracts("tron"),
        ...(solidityUrl === null ? {} : { solidityUrl }),
        ...(apiKey === null ? {} : { apiKey }),
        ...(genesisBlockId === null ? {} : { genesisBlockId }),
        ...depthAndPace(settings)
      })
      return guarded(tron, tron.verifyGenesis)
    }
    default: {
      const { network, rpcUrl } = settings
      const evm = makeEvmChain({ network, rpcUrl, contracts: currencies.contracts(network), ...depthAndPace(settings) })
      return guarded(evm, evm.verifyChainId)
    }
  }
}

/** The readers of the networks that have a node. */
export const layerChains = (settings: ReadonlyArray<NetworkSettings>, currencies: CurrencyTable): Layer.Layer<Chains> =>
  Layer.sync(Chains, () => {
    const readers = new Map<Network, ChainReader>(settings.map((one) => [one.network, readerOf(currencies, one)]))
    return Chains.of({ enabled: settings.map(({ network }) => network), get: (network) => readers.get(network) })
  })

const parse = (currencies: CurrencyTable, settings: NetworkSettings, text: string): Result.Result<string, string> => {
  switch (settings.network) {
    case "bitcoin":
      return parseBitcoinAddress(settings.chain, text)
    case "stellar":
      return parseStellarAddress(text)
    case "tron":
      return parseTronAddress(currencies.contracts("tron"), text)
    default:
      return parseEvmAddress(settings.network, currencies.contracts(settings.network), text)
  }
}

/** How the addresses of the networks that have a node are written. */
export const layerAddressFormats = (
  settings: ReadonlyArray<NetworkSettings>,
  currencies: CurrencyTable
): Layer.Layer<AddressFormats> =>
  Layer.sync(AddressFormats, () => {
    const known = new Map<Network, NetworkSettings>(settings.map((one) => [one.network, one]))
    return AddressFormats.of({
      enabled: [...known.keys()],
      parse: (network, text) => {
        const found = known.get(network)
        return found === undefined ? Result.fail(`The network ${network} is off.`) : parse(currencies, found, text)
      }
    })
  })
