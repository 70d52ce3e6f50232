import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Network } from "@bursar/core/money/Network"
import { AddressFormats } from "@bursar/core/port/AddressFormats"
import { type ChainReader, Chains } from "@bursar/core/port/Chain"
import { parseEvmAddress } from "@bursar/evm/EvmAddress"
import { type EvmChain, makeEvmChain } from "@bursar/evm/EvmChain"
import { Effect, Layer, Result } from "effect"
import type { EvmSettings } from "../config/Settings.ts"

/**
 * A reader that says nothing until its node has said that it is of the right chain: on another chain addresses look right
 * and everything else is wrong. Asked once; a node that does not answer is asked again in the next pass.
 */
const guarded = (chain: EvmChain): ChainReader => {
  let verified = false
  const verify = Effect.suspend(() =>
    verified
      ? Effect.void
      : Effect.andThen(
          chain.verifyChainId,
          Effect.sync(() => {
            verified = true
          })
        )
  )
  return { ...chain, tip: Effect.andThen(verify, chain.tip) }
}

const readerOf = (
  currencies: CurrencyTable,
  { confirmations, network, pollIntervalMs, rpcUrl }: EvmSettings
): ChainReader =>
  guarded(
    makeEvmChain({
      network,
      rpcUrl,
      contracts: currencies.contracts(network),
      ...(confirmations === null ? {} : { confirmations }),
      ...(pollIntervalMs === null ? {} : { pollIntervalMs })
    })
  )

/** The readers of the networks that have a node. */
export const layerChains = (settings: ReadonlyArray<EvmSettings>, currencies: CurrencyTable): Layer.Layer<Chains> =>
  Layer.sync(Chains, () => {
    const readers = new Map<Network, ChainReader>(settings.map((one) => [one.network, readerOf(currencies, one)]))
    return Chains.of({ enabled: settings.map(({ network }) => network), get: (network) => readers.get(network) })
  })

/** How the addresses of the networks that have a node are written. */
export const layerAddressFormats = (
  settings: ReadonlyArray<EvmSettings>,
  currencies: CurrencyTable
): Layer.Layer<AddressFormats> =>
  Layer.sync(AddressFormats, () => {
    const evm = new Map(settings.map(({ network }) => [network as Network, network]))
    return AddressFormats.of({
      enabled: [...evm.keys()],
      parse: (network, text) => {
        const known = evm.get(network)
        return known === undefined
          ? Result.fail(`The network ${network} is off.`)
          : parseEvmAddress(known, currencies.contracts(known), text)
      }
    })
  })
