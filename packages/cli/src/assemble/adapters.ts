import { bitcoinKeyForm } from "@bursar/bitcoin/Keys"
import { bitcoinNetwork } from "@bursar/bitcoin/Network"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { ChainError } from "@bursar/core/port/Chain"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import { makeNetworks, Networks } from "@bursar/core/port/Networks"
import { WatchState } from "@bursar/core/store/WatchState"
import type { EvmCapabilities } from "@bursar/evm/Reader"
import { evmKeyForm } from "@bursar/evm/Keys"
import { evmNetwork } from "@bursar/evm/Network"
import { guardedReader, onceDone } from "@bursar/network-kit/guardedNetwork"
import { stellarKeyForm } from "@bursar/stellar/Keys"
import { stellarNetwork } from "@bursar/stellar/Network"
import { tronNetwork } from "@bursar/tron/Network"
import { poolReader } from "@bursar/worker/nodes/poolReader"
import { poolSender } from "@bursar/worker/nodes/poolSender"
import { Effect, Layer } from "effect"
import type { EvmSettings, NetworkSettings } from "../config/NetworkSettings.ts"
import { SettingsInvalid } from "../config/SettingsInvalid.ts"

/** A network through one node, and what is asked of the node. */
interface Node {
  readonly adapter: NetworkAdapter
  /** Tells what the node cannot do, once it is known to be of the right chain. */
  readonly told: Effect.Effect<void, ChainError>
}

/** Says once what an EVM node cannot do that is asked of it, and what you can do about it. */
const warnOfTraces = (
  { facts, network }: EvmSettings,
  capabilities: Effect.Effect<EvmCapabilities, ChainError>
): Effect.Effect<void, ChainError> =>
  Effect.flatMap(capabilities, ({ internalTransfers }) =>
    internalTransfers
      ? Effect.void
      : Effect.logError("network.no_traces").pipe(
          Effect.annotateLogs({
            network,
            advice: `blocks in which contracts may send coin cannot be read: use a node with traces, or set ${facts === undefined ? `${network.toUpperCase()}_TRACES=off` : `"traces": "off" in its entry of NETWORKS`} to go without such deposits`
          })
        )
  )

/** The fields of an object that are known. */
const known = <A extends object>(fields: A) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as {
    // what is null is left out, and nothing else
    readonly [K in keyof A]?: NonNullable<A[K]>
  }

const nodeOf = (currencies: CurrencyTable, settings: NetworkSettings): Node => {
  const { network, pollIntervalMs } = settings
  const traits = currencies.networks.of(network)
  const contracts = currencies.contracts(network)
  switch (settings.family) {
    case "stellar": {
      const { horizonUrl, networkPassphrase, rpcUrl } = settings
      const stellar = stellarNetwork({
        traits,
        assets: contracts,
        horizonUrl,
        networkPassphrase,
        ...known({ rpcUrl, pollIntervalMs })
      })
      return { adapter: stellar, told: Effect.void }
    }
    case "bitcoin": {
      const { chain, confirmations, rpcUrl } = settings
      const bitcoin = bitcoinNetwork({ traits, rpcUrl, chain, ...known({ confirmations, pollIntervalMs }) })
      return { adapter: bitcoin, told: Effect.void }
    }
    case "tron": {
      const { apiKey, confirmations, genesisBlockId, nodeUrl, solidityUrl } = settings
      const tron = tronNetwork({
        traits,
        contracts,
        nodeUrl,
        ...known({ solidityUrl, apiKey, genesisBlockId, confirmations, pollIntervalMs })
      })
      return { adapter: tron, told: Effect.void }
    }
    case "evm": {
      const { blockTimeMs, callsMax, confirmations, facts, receiptsRoot, rpcUrl, timeoutMs, traces } = settings
      const evm = evmNetwork({
        traits,
        contracts,
        rpcUrl,
        traces,
        receiptsRoot,
        ...(facts && { facts }),
        ...known({ blockTimeMs, callsMax, confirmations, pollIntervalMs, timeoutMs })
      })
      const told = traces === "off" ? Effect.void : warnOfTraces(settings, evm.reader.capabilities)
      return { adapter: evm, told }
    }
  }
}

/** The nodes of a network, the preferred one first. */
const nodesOf = (settings: NetworkSettings): readonly [NetworkSettings, ...ReadonlyArray<NetworkSettings>] => [
  settings,
  ...(settings.others ?? [])
]

/** The adapter of one node, whose reader tells once what the node cannot do before it answers anything. */
const tellingOf = (currencies: CurrencyTable, settings: NetworkSettings): NetworkAdapter => {
  const { adapter, told } = nodeOf(currencies, settings)
  return { ...adapter, reader: guardedReader(adapter.reader, onceDone(told)) }
}

/** The adapter of a network, which uses the first of its nodes that can be relied on. */
const pooled = (currencies: CurrencyTable, settings: NetworkSettings): NetworkAdapter => {
  const [preferred, ...rest] = nodesOf(settings)
  const first = tellingOf(currencies, preferred)
  const others = rest.map((other) => tellingOf(currencies, other))
  return {
    ...first,
    verifyChain: Effect.forEach([first, ...others], ({ verifyChain }) => verifyChain, { discard: true }),
    reader: poolReader([first.reader, ...others.map(({ reader }) => reader)]),
    sender: poolSender([first, ...others])
  }
}

/** A key of secp256k1 has a name in the form of each of these, whichever networks are on. */
const keyForms = [evmKeyForm, bitcoinKeyForm, stellarKeyForm]

/** The networks that have a node, each by its adapter. */
export const layerNetworks = (settings: ReadonlyArray<NetworkSettings>, currencies: CurrencyTable) =>
  Layer.sync(Networks, () =>
    makeNetworks(
      settings.map((one) => pooled(currencies, one)),
      keyForms
    )
  )

/**
 * Fails where the database knows a network that the configuration does not: what stands on it could be neither shown nor sent. Put it
 * back into NETWORKS; without nodes of it, name one that does not answer.
 */
export const refuseForgottenNetworks = Effect.fn("adapters.refuseForgottenNetworks")(function* ({
  currencies
}: {
  readonly currencies: CurrencyTable
}) {
  const statuses = yield* (yield* WatchState).statuses
  const forgotten = statuses.filter(({ network }) => !currencies.networks.has(network))
  if (forgotten.length === 0) return
  return yield* new SettingsInvalid({
    mistakes: forgotten.map(({ network }) => `NETWORKS: ${network} is missing, which the database has read before`)
  })
})

/** How long a node is waited for at start. One that does not answer by then is asked again before anything is read of it. */
const startWaitMs = 5_000

/**
 * Fails where a node of a configured network says that it is of another chain, with all of them at once. A node that does not answer
 * says nothing: readers and senders ask it again before they believe anything of it.
 */
export const refuseOtherChains = Effect.fn("adapters.refuseOtherChains")(function* ({
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
      nodeOf(currencies, node).adapter.verifyChain.pipe(
        Effect.as(undefined),
        Effect.catch((error) => Effect.succeed(error.reason === "inconsistent" ? error.message : undefined)),
        Effect.timeoutOrElse({ duration: startWaitMs, orElse: () => Effect.succeed(undefined) })
      ),
    { concurrency: 8 }
  )
  const mistakes = found.filter((one) => one !== undefined)
  if (mistakes.length > 0) return yield* new SettingsInvalid({ mistakes: mistakes.map((one) => `NETWORKS: ${one}`) })
})
