import type { BitcoinChainName } from "@bursar/bitcoin/Network"
import type { Environment } from "@bursar/core/base/Environment"
import { type CurrencyTable, makeCurrencyTable } from "@bursar/core/money/Currency"
import { inEnvironments, type Network } from "@bursar/core/money/Network"
import type { EvmNetworkFacts } from "@bursar/evm/Network"
import { mainnetPassphrase } from "@bursar/stellar/Reader"
import { mainnetGenesisBlockId } from "@bursar/tron/Reader"
import { Redacted, Schema } from "effect"
import { integer, listed, machineOf, type Present, urls } from "./variable.ts"

/** What is told of every network. */
interface Paced {
  /** How often a new block is asked for, where the network's own pace is not to decide. */
  readonly pollIntervalMs: number | null
  /** How long the node may take to answer. What is null or absent is left to the adapter's defaults, here and in the next. */
  readonly timeoutMs?: number | null
  /** How many calls to the node may be under way. */
  readonly callsMax?: number | null
  /** Who runs the node. Absent where nobody is named: then no two nodes are of different operators. */
  readonly operator?: string
}

/** What is told of every network whose blocks may be replaced. */
interface Common extends Paced {
  /** The depth at which a deposit counts, where the network's own finality or depth is not to decide. */
  readonly confirmations: number | null
}

/** A node of an EVM network. What is null is left to the reader's defaults. */
export interface EvmSettings extends Common {
  /** Further nodes of the network, in order of preference: asked where those before do not answer. None where absent. */
  readonly others?: ReadonlyArray<EvmSettings>
  readonly family: "evm"
  readonly network: Network
  /** What is known of the network where it is none of the presets. */
  readonly facts?: EvmNetworkFacts
  /**
   * Where the coins of the network are real, if its chain is not to decide: a local chain may have the id of a main network. Absent where
   * it does.
   */
  readonly environment?: Environment
  /** Whether coin that contracts send is looked for: `off` for a node without traces. */
  readonly traces: "required" | "off"
  /** Whether receipts are hashed: `off` for the time after a fork that changes how they are encoded. */
  readonly receiptsRoot: "required" | "off"
  readonly timeoutMs: number | null
  readonly callsMax: number | null
  /** How many questions go into one request; 1 for a node that takes no batches. */
  readonly batchMax: number | null
  readonly blockTimeMs: number | null
  readonly rpcUrl: Redacted.Redacted
}

/** What is told of an EVM node where all is left to the reader's defaults. */
export const evmDefaults = {
  family: "evm",
  traces: "required",
  receiptsRoot: "required",
  timeoutMs: null,
  callsMax: null,
  batchMax: null,
  blockTimeMs: null
} as const satisfies Partial<EvmSettings>

/** A node of bitcoin, and the chain that it must be on. */
export interface BitcoinSettings extends Common {
  /** Further nodes of the network, in order of preference: asked where those before do not answer. None where absent. */
  readonly others?: ReadonlyArray<BitcoinSettings>
  readonly family: "bitcoin"
  readonly network: Network
  readonly rpcUrl: Redacted.Redacted
  readonly chain: BitcoinChainName
}

/** A node of tron. */
export interface TronSettings extends Common {
  /** Further nodes of the network, in order of preference: asked where those before do not answer. None where absent. */
  readonly others?: ReadonlyArray<TronSettings>
  readonly family: "tron"
  readonly network: Network
  readonly nodeUrl: Redacted.Redacted
  /** Where `/walletsolidity` is served, when not by the node's own address. */
  readonly solidityUrl: Redacted.Redacted | null
  readonly apiKey: Redacted.Redacted | null
  /** What the node must have at height 0, where it is not to be of the main network. */
  readonly genesisBlockId: string | null
}

/** Where stellar is read. A ledger is final when it is closed, so there is no depth to choose. */
export interface StellarSettings extends Paced {
  /** Further nodes of the network, in order of preference: asked where those before do not answer. None where absent. */
  readonly others?: ReadonlyArray<StellarSettings>
  readonly family: "stellar"
  readonly network: Network
  readonly horizonUrl: Redacted.Redacted
  /** Stellar RPC, which must be of the same network. */
  readonly rpcUrl: Redacted.Redacted | null
  /** What the network's transactions are signed for; the node must say the same. */
  readonly networkPassphrase: string
}

/** A network that has a node. */
export type NetworkSettings = EvmSettings | BitcoinSettings | TronSettings | StellarSettings

/** The setting that names the nodes of a network. */
export const settingOf = (settings: NetworkSettings): string => {
  switch (settings.family) {
    case "evm":
      return settings.facts === undefined ? `${settings.network.toUpperCase()}_RPC_URL` : "NETWORKS"
    case "bitcoin":
      return "BITCOIN_RPC_URL"
    case "tron":
      return "TRON_NODE_URL"
    case "stellar":
      return "STELLAR_HORIZON_URL"
  }
}

/** Test networks of EVM, by their chain ids. */
const testChains: ReadonlySet<number> = new Set([
  97, // BNB Smart Chain Testnet
  1_337, // local nodes
  17_000, // Holesky
  31_337, // local nodes
  43_113, // Avalanche Fuji
  80_002, // Polygon Amoy
  84_532, // Base Sepolia
  421_614, // Arbitrum Sepolia
  560_048, // Hoodi
  11_155_111, // Sepolia
  11_155_420 // OP Sepolia
])

/** Where the coins of a network are real: what tells its chain from others says so. A chain that is not known is a main network. */
export const environmentOf = (settings: NetworkSettings): Environment => {
  switch (settings.family) {
    case "evm": {
      const { environment, facts } = settings
      return environment ?? (facts !== undefined && testChains.has(facts.chainId) ? "SANDBOX" : "LIVE")
    }
    case "bitcoin":
      return settings.chain === "main" ? "LIVE" : "SANDBOX"
    case "tron":
      return settings.genesisBlockId === null || settings.genesisBlockId === mainnetGenesisBlockId ? "LIVE" : "SANDBOX"
    case "stellar":
      return settings.networkPassphrase === mainnetPassphrase ? "LIVE" : "SANDBOX"
  }
}

/** The currencies with their networks in the environments that these settings put them in. */
export const withEnvironments = (currencies: CurrencyTable, settings: ReadonlyArray<NetworkSettings>): CurrencyTable =>
  makeCurrencyTable(
    currencies.all,
    inEnvironments(currencies.networks, new Map(settings.map((one) => [one.network, environmentOf(one)])))
  )

/** The URLs of one node or several, with commas, the preferred one first. */
const nodeUrl = Schema.optionalKey(urls(["http:", "https:"]))
const confirmations = Schema.optionalKey(integer(1, 10_000))

/** Whether a node is of the main network, or a local chain that has its id: the name says it all, so that nobody sets it by accident. */
const chainOf = Schema.optionalKey(Schema.Literals(["main", "local"]))

const either = Schema.optionalKey(Schema.Literals(["required", "off"]))

const timeout = Schema.optionalKey(integer(100, 600_000))
const calls = Schema.optionalKey(integer(1, 256))

/** How the node of an EVM network is asked. */
const evmVariables = <const Name extends string>(name: Name) =>
  // The keys are those that the type says.
  ({
    [`${name}_CHAIN`]: chainOf,
    [`${name}_TRACES`]: either,
    [`${name}_RECEIPTS_ROOT`]: either,
    [`${name}_TIMEOUT_MS`]: timeout,
    [`${name}_CALLS_MAX`]: calls,
    [`${name}_BATCH_MAX`]: Schema.optionalKey(integer(1, 1_000)),
    [`${name}_BLOCK_TIME_MS`]: Schema.optionalKey(integer(50, 600_000))
  }) as { readonly [K in `${Name}_CHAIN`]: typeof chainOf } & {
    readonly [K in `${Name}_TRACES` | `${Name}_RECEIPTS_ROOT`]: typeof either
  } & {
    readonly [K in `${Name}_${"TIMEOUT_MS" | "CALLS_MAX" | "BATCH_MAX" | "BLOCK_TIME_MS"}`]: typeof confirmations
  }

/** Who runs a node, in a word. */
export const operatorName = Schema.String.check(
  Schema.isPattern(/^[a-z0-9][a-z0-9._-]{0,31}$/u, {
    expected: "1 to 32 lower-case letters, digits, dots, - and _, a letter or digit first"
  })
)

/** Who runs the nodes of a network, with commas, in the order of their URLs. */
const nodeOperators = Schema.optionalKey(
  Schema.String.check(
    Schema.makeFilter((text) =>
      listed(text).length > 0 && listed(text).every((name) => Schema.is(operatorName)(name))
        ? undefined
        : "must be names of lower-case letters, digits, dots, - and _, with commas"
    )
  )
)

/** The variables that tell of networks. */
export const networkVariables = {
  ...evmVariables("ETHEREUM"),
  ...evmVariables("BSC"),
  ...evmVariables("BASE"),
  ETHEREUM_RPC_URL: nodeUrl,
  BSC_RPC_URL: nodeUrl,
  BASE_RPC_URL: nodeUrl,
  BITCOIN_RPC_URL: nodeUrl,
  BITCOIN_CHAIN: Schema.optionalKey(Schema.Literals(["main", "test", "regtest"])),
  TRON_NODE_URL: nodeUrl,
  TRON_SOLIDITY_URL: nodeUrl,
  TRON_API_KEY: Schema.optionalKey(Schema.NonEmptyString),
  TRON_GENESIS_BLOCK_ID: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u, { expected: "64 lower-case hexadecimal digits" }))
  ),
  STELLAR_HORIZON_URL: nodeUrl,
  STELLAR_RPC_URL: nodeUrl,
  STELLAR_NETWORK_PASSPHRASE: Schema.optionalKey(Schema.NonEmptyString),
  ETHEREUM_CONFIRMATIONS: confirmations,
  BSC_CONFIRMATIONS: confirmations,
  BASE_CONFIRMATIONS: confirmations,
  BITCOIN_CONFIRMATIONS: confirmations,
  TRON_CONFIRMATIONS: confirmations,
  BITCOIN_TIMEOUT_MS: timeout,
  TRON_TIMEOUT_MS: timeout,
  STELLAR_TIMEOUT_MS: timeout,
  BITCOIN_CALLS_MAX: calls,
  TRON_CALLS_MAX: calls,
  STELLAR_CALLS_MAX: calls,
  ETHEREUM_NODE_OPERATORS: nodeOperators,
  BSC_NODE_OPERATORS: nodeOperators,
  BASE_NODE_OPERATORS: nodeOperators,
  BITCOIN_NODE_OPERATORS: nodeOperators,
  TRON_NODE_OPERATORS: nodeOperators,
  STELLAR_NODE_OPERATORS: nodeOperators
}

/** Who runs the nodes of each network. */
const operated: ReadonlyArray<readonly [nodes: string, operators: string]> = [
  ["ETHEREUM_RPC_URL", "ETHEREUM_NODE_OPERATORS"],
  ["BSC_RPC_URL", "BSC_NODE_OPERATORS"],
  ["BASE_RPC_URL", "BASE_NODE_OPERATORS"],
  ["BITCOIN_RPC_URL", "BITCOIN_NODE_OPERATORS"],
  ["TRON_NODE_URL", "TRON_NODE_OPERATORS"],
  ["STELLAR_HORIZON_URL", "STELLAR_NODE_OPERATORS"]
]

/** The networks of the contract that have a node. */
export const presetsOn = (given: Present): ReadonlyArray<Network> =>
  operated.flatMap(([nodes]) => (listed(given[nodes]).length > 0 ? [nodes.split("_", 1).join("").toLowerCase()] : []))

/** Variables that mean nothing without another. */
const needs: ReadonlyArray<readonly [name: string, needed: string]> = [
  ...["ETHEREUM", "BSC", "BASE"].flatMap((name) =>
    ["CHAIN", "TRACES", "RECEIPTS_ROOT", "TIMEOUT_MS", "CALLS_MAX", "BATCH_MAX", "BLOCK_TIME_MS"].map(
      (what) => [`${name}_${what}`, `${name}_RPC_URL`] as const
    )
  ),
  ["BITCOIN_CHAIN", "BITCOIN_RPC_URL"],
  ["TRON_SOLIDITY_URL", "TRON_NODE_URL"],
  ["TRON_API_KEY", "TRON_NODE_URL"],
  ["TRON_GENESIS_BLOCK_ID", "TRON_NODE_URL"],
  ["STELLAR_RPC_URL", "STELLAR_HORIZON_URL"],
  ["STELLAR_NETWORK_PASSPHRASE", "STELLAR_HORIZON_URL"],
  ...["BITCOIN_RPC_URL", "TRON_NODE_URL", "STELLAR_HORIZON_URL"].flatMap((nodes) =>
    ["TIMEOUT_MS", "CALLS_MAX"].map((what) => [`${nodes.split("_", 1).join("")}_${what}`, nodes] as const)
  ),
  ...operated.map(([nodes, operators]) => [operators, nodes] as const)
]

/** Second URLs of nodes, in the order of the first ones. */
const second: ReadonlyArray<readonly [nodes: string, beside: string]> = [
  ["TRON_NODE_URL", "TRON_SOLIDITY_URL"],
  ["STELLAR_HORIZON_URL", "STELLAR_RPC_URL"]
]

/** Lists of which the second, where it is given, goes with the first node by node. */
const paired: ReadonlyArray<readonly [nodes: string, beside: string]> = [...second, ...operated]

/**
 * Operators that are said to be two though their nodes are on one machine: then what one says would confirm itself. `nodes` and `operators`
 * go with each other; an operator may stand there more than once, with all URLs of its nodes. On a network for tests several nodes may run on this machine, each at a port of its own.
 */
export const sameNodeMistakes = (
  setting: string,
  nodes: ReadonlyArray<string>,
  operators: ReadonlyArray<string>,
  isTest: boolean
): ReadonlyArray<string> => {
  const byHost = new Map<string, string>()
  const mistakes = nodes.flatMap((node, index) => {
    const [machine, operator] = [machineOf(node), operators[index]]
    if (machine === undefined || operator === undefined) return []
    const host = isTest && machine.own ? `${machine.name}:${machine.port}` : machine.name
    const other = byHost.get(host) ?? operator
    byHost.set(host, other)
    return other === operator
      ? []
      : [`${setting}: ${other} and ${operator} are one operator, their nodes have the same host`]
  })
  return [...new Set(mistakes)]
}

/** Whether the variables say of the network with these nodes that its coins are not real. */
const isTest = (given: Present, nodes: string): boolean => {
  const [name = ""] = nodes.split("_")
  const { TRON_GENESIS_BLOCK_ID: genesis, STELLAR_NETWORK_PASSPHRASE: passphrase } = given
  switch (name) {
    case "TRON":
      return genesis !== undefined && genesis !== mainnetGenesisBlockId
    case "STELLAR":
      return passphrase !== undefined && passphrase !== mainnetPassphrase
    default:
      return (given[`${name}_CHAIN`] ?? "main") !== "main"
  }
}

/** What the variables of networks lack, taken together. */
export const networkMistakes = (given: Present): ReadonlyArray<string> => [
  ...needs.flatMap(([name, needed]) =>
    name in given && !(needed in given) ? [`${needed} is missing, without which ${name} means nothing`] : []
  ),
  ...paired.flatMap(([nodes, beside]) => {
    const counts = [nodes, beside].map((name) => listed(given[name]).length)
    return counts[1] === 0 || counts[0] === 0 || counts[0] === counts[1]
      ? []
      : [
          `${nodes} names ${counts[0]} nodes and ${beside} names ${counts[1]}: each node needs its own, in the same order`
        ]
  }),
  ...operated.flatMap(([nodes, operators]) => {
    const names = listed(given[operators])
    const lists = [nodes, ...second.flatMap(([first, beside]) => (first === nodes ? [beside] : []))]
    // a list that lacks nodes, or has too many, is told above
    const placed = lists.flatMap((list) =>
      listed(given[list])
        .slice(0, names.length)
        .map((url, at) => ({ url, at }))
    )
    return sameNodeMistakes(
      operators,
      placed.map(({ url }) => url),
      placed.map(({ at }) => names[at] ?? ""),
      isTest(given, nodes)
    )
  })
]

const Variables = Schema.Struct(networkVariables)

/** Who runs the node at a place of a list; nothing where nobody is named. */
const operatorAt = (operators: string | undefined, index: number) => {
  const operator = listed(operators)[index]
  return operator === undefined ? {} : { operator }
}

const hidden = (text: string | undefined) => (text === undefined ? null : Redacted.make(text))

/** The first node with the others beside it; nothing where there is none. */
const preferred = <S extends NetworkSettings>(nodes: ReadonlyArray<S>): ReadonlyArray<S> => {
  const [first, ...others] = nodes
  if (first === undefined) return []
  return [others.length === 0 ? first : { ...first, others }]
}

/** The networks that have a node. */
export const networksOf = (env: typeof Variables.Type): ReadonlyArray<NetworkSettings> => {
  const common = (depth: number | undefined): Common => ({ confirmations: depth ?? null, pollIntervalMs: null })
  const evm = (network: Network, name: "ETHEREUM" | "BSC" | "BASE") =>
    preferred(
      listed(env[`${name}_RPC_URL`]).map((rpcUrl, index): EvmSettings => ({
        ...operatorAt(env[`${name}_NODE_OPERATORS`], index),
        family: "evm",
        network,
        rpcUrl: Redacted.make(rpcUrl),
        ...(env[`${name}_CHAIN`] === "local" && { environment: "SANDBOX" as const }),
        traces: env[`${name}_TRACES`] ?? "required",
        receiptsRoot: env[`${name}_RECEIPTS_ROOT`] ?? "required",
        timeoutMs: env[`${name}_TIMEOUT_MS`] ?? null,
        callsMax: env[`${name}_CALLS_MAX`] ?? null,
        batchMax: env[`${name}_BATCH_MAX`] ?? null,
        blockTimeMs: env[`${name}_BLOCK_TIME_MS`] ?? null,
        ...common(env[`${name}_CONFIRMATIONS`])
      }))
    )
  const bitcoin = preferred(
    listed(env.BITCOIN_RPC_URL).map((rpcUrl, index): BitcoinSettings => ({
      ...operatorAt(env.BITCOIN_NODE_OPERATORS, index),
      family: "bitcoin",
      network: "bitcoin",
      rpcUrl: Redacted.make(rpcUrl),
      chain: env.BITCOIN_CHAIN ?? "main",
      timeoutMs: env.BITCOIN_TIMEOUT_MS ?? null,
      callsMax: env.BITCOIN_CALLS_MAX ?? null,
      ...common(env.BITCOIN_CONFIRMATIONS)
    }))
  )
  const solidityUrls = listed(env.TRON_SOLIDITY_URL)
  const tron = preferred(
    listed(env.TRON_NODE_URL).map((text, index): TronSettings => ({
      ...operatorAt(env.TRON_NODE_OPERATORS, index),
      family: "tron",
      network: "tron",
      nodeUrl: Redacted.make(text),
      solidityUrl: hidden(solidityUrls[index]),
      apiKey: hidden(env.TRON_API_KEY),
      genesisBlockId: env.TRON_GENESIS_BLOCK_ID ?? null,
      timeoutMs: env.TRON_TIMEOUT_MS ?? null,
      callsMax: env.TRON_CALLS_MAX ?? null,
      ...common(env.TRON_CONFIRMATIONS)
    }))
  )
  const rpcUrls = listed(env.STELLAR_RPC_URL)
  const stellar = preferred(
    listed(env.STELLAR_HORIZON_URL).map((horizonUrl, index): StellarSettings => ({
      ...operatorAt(env.STELLAR_NODE_OPERATORS, index),
      family: "stellar",
      network: "stellar",
      horizonUrl: Redacted.make(horizonUrl),
      rpcUrl: hidden(rpcUrls[index]),
      networkPassphrase: env.STELLAR_NETWORK_PASSPHRASE ?? mainnetPassphrase,
      timeoutMs: env.STELLAR_TIMEOUT_MS ?? null,
      callsMax: env.STELLAR_CALLS_MAX ?? null,
      pollIntervalMs: null
    }))
  )
  return [...evm("ethereum", "ETHEREUM"), ...evm("bsc", "BSC"), ...evm("base", "BASE"), ...bitcoin, ...tron, ...stellar]
}
