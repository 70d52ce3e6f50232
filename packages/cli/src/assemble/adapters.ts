import { bitcoinKeyForm, bitcoinKeys } from "@bursar/bitcoin/Keys"
import { bitcoinNetwork } from "@bursar/bitcoin/Network"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { ChainError } from "@bursar/core/port/Chain"
import { KnownNetworks } from "@bursar/core/port/KnownNetworks"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import { type FamilyKeys, makeNetworks, Networks } from "@bursar/core/port/Networks"
import type { EvmCapabilities } from "@bursar/evm/Reader"
import { evmKeyForm, evmKeys } from "@bursar/evm/Keys"
import { evmNetwork } from "@bursar/evm/Network"
import { guardedReader, guardedSender, onceDone } from "@bursar/network-kit/guardedNetwork"
import { stellarKeyForm, stellarKeys } from "@bursar/stellar/Keys"
import { stellarNetwork } from "@bursar/stellar/Network"
import { tronKeys } from "@bursar/tron/Keys"
import { tronNetwork } from "@bursar/tron/Network"
import { poolAdapter } from "@bursar/worker/nodes/poolAdapter"
import { Clock, Effect, Layer } from "effect"
import { environmentOf, type EvmSettings, type NetworkSettings } from "../config/NetworkSettings.ts"
import { bindingProblem } from "./bindingProblem.ts"

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
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as {
    // what is null or absent is left out, and nothing else
    readonly [K in keyof A]?: NonNullable<A[K]>
  }

/** A network through its preferred node alone. */
export const nodeOf = (currencies: CurrencyTable, settings: NetworkSettings): Node => {
  const { callsMax, network, pollIntervalMs, timeoutMs } = settings
  const paced = { callsMax, pollIntervalMs, timeoutMs }
  const traits = currencies.networks.of(network)
  // the rules go by the traits, and the node is of the settings' chain
  if (traits.environment !== environmentOf(settings))
    throw new Error(
      `the node of ${network} is ${environmentOf(settings)}, and the rules take it for ${traits.environment}`
    )
  const contracts = currencies.contracts(network)
  switch (settings.family) {
    case "stellar": {
      const { horizonUrl, networkPassphrase, rpcUrl } = settings
      const stellar = stellarNetwork({
        traits,
        assets: contracts,
        horizonUrl,
        networkPassphrase,
        ...known({ rpcUrl, ...paced })
      })
      return { adapter: stellar, told: Effect.void }
    }
    case "bitcoin": {
      const { chain, confirmations, rpcUrl } = settings
      const bitcoin = bitcoinNetwork({ traits, rpcUrl, chain, ...known({ confirmations, ...paced }) })
      return { adapter: bitcoin, told: Effect.void }
    }
    case "tron": {
      const { apiKey, confirmations, genesisBlockId, nodeUrl, solidityUrl } = settings
      const tron = tronNetwork({
        traits,
        contracts,
        nodeUrl,
        ...known({ solidityUrl, apiKey, genesisBlockId, confirmations, ...paced })
      })
      return { adapter: tron, told: Effect.void }
    }
    case "evm": {
      const { batchMax, blockTimeMs, confirmations, facts, receiptsRoot, rpcUrl, traces } = settings
      const evm = evmNetwork({
        traits,
        contracts,
        rpcUrl,
        traces,
        receiptsRoot,
        ...(facts && { facts }),
        ...known({ batchMax, blockTimeMs, confirmations, ...paced })
      })
      const told = traces === "off" ? Effect.void : warnOfTraces(settings, evm.reader.capabilities)
      return { adapter: evm, told }
    }
  }
}

/** The nodes of a network, the preferred one first. */
export const nodesOf = (settings: NetworkSettings): readonly [NetworkSettings, ...ReadonlyArray<NetworkSettings>] => [
  settings,
  ...(settings.others ?? [])
]

/** Binds the name of a network to its chain once a node has confirmed it: what stands under a name is on one chain for good. */
const bind = Effect.fnUntraced(function* (names: KnownNetworks["Service"], { chainId, traits }: NetworkAdapter) {
  const { family, name: network } = traits
  const failed = (reason: "other_chain" | "unreachable", detail: string) =>
    new ChainError({ network, reason, doing: "compare its chain with the database", detail })
  const conflict = yield* names
    .bind(network, { family, id: chainId }, yield* Clock.currentTimeMillis)
    .pipe(Effect.mapError((error) => failed("unreachable", error.message)))
  if (conflict !== undefined) return yield* failed("other_chain", bindingProblem(network, chainId, conflict))
})

/**
 * The adapter of one node, which answers nothing until the name of the network is bound to the node's chain, and whose reader tells once
 * before that what the node cannot do.
 */
const boundNode = (
  names: KnownNetworks["Service"],
  currencies: CurrencyTable,
  settings: NetworkSettings
): NetworkAdapter => {
  const { adapter, told } = nodeOf(currencies, settings)
  const bound = onceDone(Effect.andThen(adapter.verifyChain, bind(names, adapter)))
  return {
    ...adapter,
    reader: guardedReader(adapter.reader, onceDone(Effect.andThen(bound, told))),
    sender: guardedSender(adapter.sender, bound)
  }
}

/** The adapter of a network, which uses the first of its nodes that can be relied on. */
const pooled = (
  names: KnownNetworks["Service"],
  currencies: CurrencyTable,
  settings: NetworkSettings
): NetworkAdapter => {
  const [preferred, ...others] = nodesOf(settings)
  const node = (one: NetworkSettings) => ({ adapter: boundNode(names, currencies, one), operator: one.operator })
  return poolAdapter([node(preferred), ...others.map(node)])
}

/** A key of secp256k1 has a name in the form of each of these, whichever networks are on. */
const keyForms = [evmKeyForm, bitcoinKeyForm, stellarKeyForm]

/** How addresses follow from keys on each family, whichever networks are on. */
export const familyKeys: FamilyKeys = new Map([
  ["evm", [evmKeys]],
  ["bitcoin", [bitcoinKeys("main"), bitcoinKeys("test"), bitcoinKeys("regtest")]],
  ["tron", [tronKeys]],
  ["stellar", [stellarKeys]]
])

/**
 * The networks that have a node, each by its adapter. Nothing is read or sent on a network whose name the database has bound to
 * another chain.
 */
export const layerNetworks = (
  settings: ReadonlyArray<NetworkSettings>,
  currencies: CurrencyTable
): Layer.Layer<Networks, never, KnownNetworks> =>
  Layer.effect(
    Networks,
    Effect.map(KnownNetworks, (names) =>
      makeNetworks(
        settings.map((one) => pooled(names, currencies, one)),
        keyForms,
        familyKeys
      )
    )
  )
