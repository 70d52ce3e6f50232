import { bitcoinFormat } from "@bursar/bitcoin/send/BitcoinFormat"
import { makeBitcoinSender } from "@bursar/bitcoin/send/BitcoinSender"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Network } from "@bursar/core/money/Network"
import type { ChainError } from "@bursar/core/port/Chain"
import {
  type ChainSender,
  ChainSenders,
  type TransactionFormat,
  TransactionFormats
} from "@bursar/core/port/ChainSender"
import { evmFormat } from "@bursar/evm/send/evmFormat"
import { makeEvmSender } from "@bursar/evm/send/EvmSender"
import { stellarFormat } from "@bursar/stellar/send/StellarFormat"
import { makeStellarSender } from "@bursar/stellar/send/StellarSender"
import { tronFormat } from "@bursar/tron/send/TronFormat"
import { makeTronSender } from "@bursar/tron/send/TronSender"
import { poolSender, type SenderNode } from "@bursar/worker/nodes/poolSender"
import { Effect, Layer } from "effect"
import type { NetworkSettings } from "../config/NetworkSettings.ts"
import { evmBounds, nodeReader, nodesOf, verifyNode } from "./networks.ts"

/** What a node has nothing to estimate from is paid at on a private chain: 2 satoshi per virtual byte. */
const regtestFeeRate = 2_000n

const senderOf = (currencies: CurrencyTable, settings: NetworkSettings): ChainSender => {
  switch (settings.family) {
    case "stellar": {
      const { horizonUrl, networkPassphrase } = settings
      return makeStellarSender({ horizonUrl, networkPassphrase, assets: currencies.contracts(settings.network) })
    }
    case "bitcoin": {
      const { chain, confirmations, rpcUrl } = settings
      return makeBitcoinSender({
        rpcUrl,
        chain,
        ...(confirmations === null ? {} : { confirmations }),
        ...(chain === "regtest" ? { fallbackFeeRate: regtestFeeRate } : {})
      })
    }
    case "tron": {
      const { apiKey, nodeUrl, solidityUrl } = settings
      return makeTronSender({
        nodeUrl,
        contracts: currencies.contracts(settings.network),
        ...(solidityUrl === null ? {} : { solidityUrl }),
        ...(apiKey === null ? {} : { apiKey })
      })
    }
    default: {
      const { confirmations, network, receiptsRoot, rpcUrl, traces } = settings
      return makeEvmSender({
        network,
        ...(settings.facts && { facts: settings.facts }),
        rpcUrl,
        contracts: currencies.contracts(network),
        traces,
        receiptsRoot,
        ...evmBounds(settings),
        ...(confirmations === null ? {} : { confirmations })
      })
    }
  }
}

const formatOf = (currencies: CurrencyTable, settings: NetworkSettings): TransactionFormat => {
  switch (settings.family) {
    case "stellar":
      return stellarFormat({
        networkPassphrase: settings.networkPassphrase,
        assets: currencies.contracts(settings.network)
      })
    case "bitcoin":
      return bitcoinFormat({ chain: settings.chain })
    case "tron":
      return tronFormat({ contracts: currencies.contracts(settings.network) })
    default:
      return evmFormat({
        network: settings.network,
        ...(settings.facts && { facts: settings.facts }),
        contracts: currencies.contracts(settings.network)
      })
  }
}

/** A sender that concludes and builds nothing until its node has said that it is of the right chain. */
const guarded = (sender: ChainSender, verified: Effect.Effect<void, ChainError>): ChainSender => {
  const first = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | ChainError> =>
    Effect.andThen(verified, effect)
  const { accountState } = sender
  return {
    ...sender,
    firstSequence: (account) => first(sender.firstSequence(account)),
    balance: (address, contract) => first(sender.balance(address, contract)),
    ...(accountState && { accountState: (address, assets) => first(accountState(address, assets)) }),
    build: (order) => first(sender.build(order)),
    status: (order, transactions) => first(sender.status(order, transactions)),
    prove: (claimed) =>
      Effect.catchTag(first(sender.prove(claimed)), "ChainError", (error) =>
        Effect.succeed({ verdict: "UNREADABLE" as const, reason: error.message })
      )
  }
}

/** A node as it is written to, and as it is asked where it stands. */
const nodeOf = (currencies: CurrencyTable, settings: NetworkSettings): SenderNode => ({
  reader: nodeReader(currencies, settings),
  sender: guarded(senderOf(currencies, settings), verifyNode(currencies, settings))
})

/** The networks that have a node, as they are written to. */
export const layerSenders = (
  settings: ReadonlyArray<NetworkSettings>,
  currencies: CurrencyTable
): Layer.Layer<ChainSenders> =>
  Layer.sync(ChainSenders, () => {
    const senders = new Map<Network, ChainSender>(
      settings.map((one) => {
        const [first, ...others] = nodesOf(one)
        return [
          one.network,
          poolSender([nodeOf(currencies, first), ...others.map((other) => nodeOf(currencies, other))])
        ]
      })
    )
    return ChainSenders.of({ get: (network) => senders.get(network) })
  })

/** How the transactions of the networks that have a node are written. */
export const layerFormats = (
  settings: ReadonlyArray<NetworkSettings>,
  currencies: CurrencyTable
): Layer.Layer<TransactionFormats> =>
  Layer.sync(TransactionFormats, () => {
    const formats = new Map<Network, TransactionFormat>(settings.map((one) => [one.network, formatOf(currencies, one)]))
    return TransactionFormats.of({ get: (network) => formats.get(network) })
  })
