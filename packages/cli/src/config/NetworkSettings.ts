import type { BitcoinChainName } from "@bursar/bitcoin/BitcoinNetwork"
import type { EvmNetwork } from "@bursar/evm/EvmNetwork"
import { mainnetPassphrase } from "@bursar/stellar/StellarChain"
import { Redacted, Schema } from "effect"
import { integer, type Present, url } from "./variable.ts"

/** What is told of every network. */
interface Paced {
  /** How often a new block is asked for, where the network's own pace is not to decide. */
  readonly pollIntervalMs: number | null
}

/** What is told of every network whose blocks may be replaced. */
interface Common extends Paced {
  /** The depth at which a deposit counts, where the network's own finality or depth is not to decide. */
  readonly confirmations: number | null
}

/** A node of an EVM network. */
export interface EvmSettings extends Common {
  readonly network: EvmNetwork
  readonly rpcUrl: Redacted.Redacted
}

/** A node of bitcoin, and the chain that it must be on. */
export interface BitcoinSettings extends Common {
  readonly network: "bitcoin"
  readonly rpcUrl: Redacted.Redacted
  readonly chain: BitcoinChainName
}

/** A node of tron. */
export interface TronSettings extends Common {
  readonly network: "tron"
  readonly nodeUrl: Redacted.Redacted
  /** Where `/walletsolidity` is served, when not by the node's own address. */
  readonly solidityUrl: Redacted.Redacted | null
  readonly apiKey: Redacted.Redacted | null
  /** What the node must have at height 0, where it is not to be of the main network. */
  readonly genesisBlockId: string | null
}

/** Where stellar is read. A ledger is final when it is closed, so there is no depth to choose. */
export interface StellarSettings extends Paced {
  readonly network: "stellar"
  readonly horizonUrl: Redacted.Redacted
  /** Stellar RPC, which must be of the same network. */
  readonly rpcUrl: Redacted.Redacted | null
  /** What the network's transactions are signed for; the node must say the same. */
  readonly networkPassphrase: string
}

/** A network that has a node. */
export type NetworkSettings = EvmSettings | BitcoinSettings | TronSettings | StellarSettings

const nodeUrl = Schema.optionalKey(url(["http:", "https:"]))
const confirmations = Schema.optionalKey(integer(1, 10_000))

/** The variables that tell of networks. */
export const networkVariables = {
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
  TRON_CONFIRMATIONS: confirmations
}

/** Variables that mean nothing without another. */
const needs: ReadonlyArray<readonly [name: string, needed: string]> = [
  ["BITCOIN_CHAIN", "BITCOIN_RPC_URL"],
  ["TRON_SOLIDITY_URL", "TRON_NODE_URL"],
  ["TRON_API_KEY", "TRON_NODE_URL"],
  ["TRON_GENESIS_BLOCK_ID", "TRON_NODE_URL"],
  ["STELLAR_RPC_URL", "STELLAR_HORIZON_URL"],
  ["STELLAR_NETWORK_PASSPHRASE", "STELLAR_HORIZON_URL"]
]

/** What the variables of networks lack, taken together. */
export const networkMistakes = (given: Present): ReadonlyArray<string> =>
  needs.flatMap(([name, needed]) =>
    name in given && !(needed in given) ? [`${needed} is missing, without which ${name} means nothing`] : []
  )

const Variables = Schema.Struct(networkVariables)

const hidden = (text: string | undefined) => (text === undefined ? null : Redacted.make(text))

/** The networks that have a node. */
export const networksOf = (env: typeof Variables.Type): ReadonlyArray<NetworkSettings> => {
  const common = (depth: number | undefined): Common => ({ confirmations: depth ?? null, pollIntervalMs: null })
  const evm = (network: EvmNetwork, rpcUrl: string | undefined, depth: number | undefined) =>
    rpcUrl === undefined ? [] : [{ network, rpcUrl: Redacted.make(rpcUrl), ...common(depth) }]
  const bitcoin = (): ReadonlyArray<BitcoinSettings> =>
    env.BITCOIN_RPC_URL === undefined
      ? []
      : [
          {
            network: "bitcoin",
            rpcUrl: Redacted.make(env.BITCOIN_RPC_URL),
            chain: env.BITCOIN_CHAIN ?? "main",
            ...common(env.BITCOIN_CONFIRMATIONS)
          }
        ]
  const tron = (): ReadonlyArray<TronSettings> =>
    env.TRON_NODE_URL === undefined
      ? []
      : [
          {
            network: "tron",
            nodeUrl: Redacted.make(env.TRON_NODE_URL),
            solidityUrl: hidden(env.TRON_SOLIDITY_URL),
            apiKey: hidden(env.TRON_API_KEY),
            genesisBlockId: env.TRON_GENESIS_BLOCK_ID ?? null,
            ...common(env.TRON_CONFIRMATIONS)
          }
        ]
  const stellar = (): ReadonlyArray<StellarSettings> =>
    env.STELLAR_HORIZON_URL === undefined
      ? []
      : [
          {
            network: "stellar",
            horizonUrl: Redacted.make(env.STELLAR_HORIZON_URL),
            rpcUrl: hidden(env.STELLAR_RPC_URL),
            networkPassphrase: env.STELLAR_NETWORK_PASSPHRASE ?? mainnetPassphrase,
            pollIntervalMs: null
          }
        ]
  return [
    ...evm("ethereum", env.ETHEREUM_RPC_URL, env.ETHEREUM_CONFIRMATIONS),
    ...evm("bsc", env.BSC_RPC_URL, env.BSC_CONFIRMATIONS),
    ...evm("base", env.BASE_RPC_URL, env.BASE_CONFIRMATIONS),
    ...bitcoin(),
    ...tron(),
    ...stellar()
  ]
}
