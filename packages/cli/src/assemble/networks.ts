import { parseBitcoinAddress } from "@bursar/bitcoin/BitcoinAddress"
import { makeBitcoinChain } from "@bursar/bitcoin/BitcoinChain"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Network } from "@bursar/core/money/Network"
import { AddressFormats } from "@bursar/core/port/AddressFormats"
import { type ChainError, type ChainReader, Chains } from "@bursar/core/port/Chain"
import { parseEvmAddress } from "@bursar/evm/EvmAddress"
import { type EvmChain, makeEvmChain } from "@bursar/evm/EvmChain"
import { parseStellarAddress } from "@bursar/stellar/StellarAddress"
import { makeStellarChain } from "@bursar/stellar/StellarChain"
import { parseTronAddress } from "@bursar/tron/TronAddress"
import { makeTronChain } from "@bursar/tron/TronChain"
import { poolReader } from "@bursar/worker/nodes/poolReader"
import { Effect, Layer, Result } from "effect"
import { SettingsInvalid } from "../config/SettingsInvalid.ts"
import type { EvmSettings, NetworkSettings } from "../config/NetworkSettings.ts"

/** Asks once: what has succeeded is not asked again, what failed is. */
const onceDone = (effect: Effect.Effect<void, ChainError>): Effect.Effect<void, ChainError> => {
  let isDone = false
  return Effect.suspend(() =>
    isDone
      ? Effect.void
      : Effect.andThen(
          effect,
          Effect.sync(() => {
            isDone = true
          })
        )
  )
}

/**
 * A reader that says nothing until its node has said that it is of the right chain: on another chain addresses look right
 * and everything else is wrong.
 */
const guarded = ({ reader, verify }: Unguarded): ChainReader => {
  const verified = onceDone(verify)
  const { balanceChanges } = reader
  return {
    ...reader,
    tip: Effect.andThen(verified, reader.tip),
    header: (number) => Effect.andThen(verified, reader.header(number)),
    block: (hash) => Effect.andThen(verified, reader.block(hash)),
    blockAt: (time) => Effect.andThen(verified, reader.blockAt(time)),
    ...(balanceChanges === undefined
      ? {}
      : { balanceChanges: (block, addresses) => Effect.andThen(verified, balanceChanges(block, addresses)) })
  }
}

/** A reader, and what makes sure that its node is of the right chain. */
interface Unguarded {
  readonly reader: ChainReader
  /** Whether the node is of the right chain. */
  readonly chain: Effect.Effect<void, ChainError>
  /** The same, and what else has to be said of the node before it is relied on. */
  readonly verify: Effect.Effect<void, ChainError>
}

const pace = ({ pollIntervalMs }: NetworkSettings) => (pollIntervalMs === null ? {} : { pollIntervalMs })

const depthAndPace = (settings: Exclude<NetworkSettings, { readonly family: "stellar" }>) => ({
  ...(settings.confirmations === null ? {} : { confirmations: settings.confirmations }),
  ...pace(settings)
})

/** How long an EVM node may take, and how much it is asked at once. */
export const evmBounds = ({ callsMax, timeoutMs }: EvmSettings) => ({
  ...(timeoutMs === null ? {} : { timeoutMs }),
  ...(callsMax === null ? {} : { callsMax })
})

/** Says once what an EVM node cannot do that is asked of it, and what you can do about it. */
const warnOfTraces = ({ network, traces }: EvmSettings, { capabilities }: EvmChain): Effect.Effect<void, ChainError> =>
  traces === "off"
    ? Effect.void
    : Effect.flatMap(capabilities, ({ internalTransfers }) =>
        internalTransfers
          ? Effect.void
          : Effect.logError("network.no_traces").pipe(
              Effect.annotateLogs({
                network,
                advice: `blocks in which contracts may send coin cannot be read: use a node with traces, or set ${network.toUpperCase()}_TRACES=off to go without such deposits`
              })
            )
      )

const readerOf = (currencies: CurrencyTable, settings: NetworkSettings): Unguarded => {
  switch (settings.family) {
    case "stellar": {
      const { horizonUrl, networkPassphrase, rpcUrl } = settings
      const stellar = makeStellarChain({
        horizonUrl,
        networkPassphrase,
        assets: currencies.contracts(settings.network),
        ...(rpcUrl === null ? {} : { rpcUrl }),
        ...pace(settings)
      })
      return { reader: stellar, chain: stellar.verifyNetwork, verify: stellar.verifyNetwork }
    }
    case "bitcoin": {
      const { chain, rpcUrl } = settings
      const bitcoin = makeBitcoinChain({ rpcUrl, chain, ...depthAndPace(settings) })
      return { reader: bitcoin, chain: bitcoin.verifyChain, verify: bitcoin.verifyChain }
    }
    case "tron": {
      const { apiKey, genesisBlockId, nodeUrl, solidityUrl } = settings
      const tron = makeTronChain({
        nodeUrl,
        contracts: currencies.contracts(settings.network),
        ...(solidityUrl === null ? {} : { solidityUrl }),
        ...(apiKey === null ? {} : { apiKey }),
        ...(genesisBlockId === null ? {} : { genesisBlockId }),
        ...depthAndPace(settings)
      })
      return { reader: tron, chain: tron.verifyGenesis, verify: tron.verifyGenesis }
    }
    default: {
      const { blockTimeMs, network, receiptsRoot, rpcUrl, traces } = settings
      const evm = makeEvmChain({
        network,
        ...(settings.facts && { facts: settings.facts }),
        rpcUrl,
        contracts: currencies.contracts(network),
        traces,
        receiptsRoot,
        ...evmBounds(settings),
        ...(blockTimeMs === null ? {} : { blockTimeMs }),
        ...depthAndPace(settings)
      })
      return {
        reader: evm,
        chain: evm.verifyChainId,
        verify: Effect.andThen(evm.verifyChainId, warnOfTraces(settings, evm))
      }
    }
  }
}

/** The reader of one node, which says nothing while it is not certain that the node is of the right chain. */
export const nodeReader = (currencies: CurrencyTable, settings: NetworkSettings): ChainReader =>
  guarded(readerOf(currencies, settings))

/** The nodes of a network, the preferred one first. */
export const nodesOf = (settings: NetworkSettings): readonly [NetworkSettings, ...ReadonlyArray<NetworkSettings>] => [
  settings,
  ...(settings.others ?? [])
]

/** Makes sure, once, that a node is of the right chain. */
export const verifyNode = (currencies: CurrencyTable, settings: NetworkSettings): Effect.Effect<void, ChainError> =>
  onceDone(readerOf(currencies, settings).verify)

/** How long a node is waited for at start. One that does not answer by then is asked again before anything is read of it. */
const startWaitMs = 5_000

/**
 * Fails where a node of a configured network says that it is of another chain, with all of them at once. A node that does not answer
 * says nothing: readers and senders ask it again before they believe anything of it.
 */
export const refuseOtherChains = Effect.fn("networks.refuseOtherChains")(function* ({
  currencies,
  networks
}: {
  readonly currencies: CurrencyTable
  readonly networks: ReadonlyArray<NetworkSettings>
}) {
  const configured = networks.filter((one) => one.family === "evm" && one.facts !== undefined)
  const found = yield* Effect.forEach(
    configured.flatMap(nodesOf),
    (node) =>
      readerOf(currencies, node).chain.pipe(
        Effect.as(undefined),
        Effect.catch((error) => Effect.succeed(error.reason === "inconsistent" ? error.message : undefined)),
        Effect.timeoutOrElse({ duration: startWaitMs, orElse: () => Effect.succeed(undefined) })
      ),
    { concurrency: 8 }
  )
  const mistakes = found.filter((one) => one !== undefined)
  if (mistakes.length > 0) return yield* new SettingsInvalid({ mistakes: mistakes.map((one) => `NETWORKS: ${one}`) })
})

/** The readers of the networks that have a node. */
export const layerChains = (settings: ReadonlyArray<NetworkSettings>, currencies: CurrencyTable): Layer.Layer<Chains> =>
  Layer.sync(Chains, () => {
    const readers = new Map<Network, ChainReader>(
      settings.map((one) => {
        const [first, ...others] = nodesOf(one)
        return [
          one.network,
          poolReader([nodeReader(currencies, first), ...others.map((other) => nodeReader(currencies, other))])
        ]
      })
    )
    return Chains.of({ enabled: settings.map(({ network }) => network), get: (network) => readers.get(network) })
  })

const parse = (currencies: CurrencyTable, settings: NetworkSettings, text: string): Result.Result<string, string> => {
  switch (settings.family) {
    case "bitcoin":
      return parseBitcoinAddress(settings.chain, text)
    case "stellar":
      return parseStellarAddress(text)
    case "tron":
      return parseTronAddress(currencies.contracts(settings.network), text)
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
