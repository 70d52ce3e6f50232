import type { Environment } from "../base/Environment.ts"

/** The name of a network, as it stands in requests and records: a name of the configuration. */
export type Network = string

/** The networks on which one key has one address, by the name of what they have in common. */
export type KeyFamily = string

/** What excludes that two transactions of an account both take effect: a counter of the account, the outputs that it spends, or time. */
export type AccountModel = "nonce" | "sequence" | "utxo" | "expiry"

/** How the private keys of a network follow from a tenant's seed. */
export interface KeyPaths {
  readonly curve: "secp256k1" | "ed25519"
  /**
   * The account whose addresses are issued: BIP 44, on bitcoin BIP 84, on stellar SEP-5. Addresses stand at `0/index` below it,
   * unless they are `muxed`.
   */
  readonly account: string
  /** The path of the key of a wallet, beside the branch of the addresses that are issued. */
  readonly wallet: (index: number) => string
}

/** The standards by which a message is signed with the key of an address. */
export const messageFormats = ["EIP-191", "TIP-191", "BIP-322", "SEP-53"] as const

/** A standard by which a message is signed. */
export type MessageFormat = (typeof messageFormats)[number]

/** What the service allows itself on a network, in base units of the native asset unless it says otherwise. */
export interface NetworkLimits {
  /** The most that one transaction may cost: far above what the network asks on a bad day, far below what a mistake can burn. */
  readonly feeMax: bigint
  /** The most that an address is given at once to pay for its sweep; 0 where it pays with what it has. */
  readonly topUpMax: bigint
  /** What is left on an account when its native asset is swept, beside what the network makes it keep. */
  readonly sweepKeeps: bigint
  /** The most of what it moves that a sweep may cost, in percent; null for no such bound. */
  readonly sweepCostShareMaxPercent: number | null
  /** For how long nothing may be known of an outcome until it is flagged. */
  readonly unresolvedAfterMs: number
}

/** What the rules of the service have to know of a network. Pure data: nothing here talks to a node. */
export interface NetworkTraits {
  readonly name: Network
  readonly family: KeyFamily
  /** Whether it is a main network, whose coins are real, or a test network. */
  readonly environment: Environment
  /** What fees are paid in: the code of its currency, and its decimals. */
  readonly nativeAsset: { readonly code: string; readonly decimals: number }
  readonly accountModel: AccountModel
  /**
   * How many transactions of one account may be under way at once. One where a transaction that expires leaves its number unused,
   * which those behind it could never pass: channel accounts make up for it.
   */
  readonly underWayMax: number
  /** Whether accounts have to be made, and to open trustlines, before they can receive an asset. */
  readonly provisioned: boolean
  /** Whether issued addresses are keys of their own, or parts of one account with one key. */
  readonly issues: "keys" | "muxed"
  /** What stands before the hexadecimal digits of a transaction's hash. */
  readonly hashPrefix: "" | "0x"
  readonly keyPaths: KeyPaths
  readonly messageFormat: MessageFormat
  readonly limits: NetworkLimits
}

/** The networks that the service knows, whether or not they have a node. */
export interface NetworkTable {
  readonly all: ReadonlyArray<NetworkTraits>
  readonly has: (name: string) => boolean
  /** Throws where no network is called so: it was taken out of the configuration, or it is a bug. */
  readonly of: (name: Network) => NetworkTraits
  /** The networks of one environment on which the same key has the same address, the network itself first. */
  readonly siblings: (name: Network) => ReadonlyArray<Network>
}

/** Builds a table; a name that stands twice is a mistake of the configuration and throws. */
export const makeNetworkTable = (all: ReadonlyArray<NetworkTraits>): NetworkTable => {
  const byName = new Map<string, NetworkTraits>()
  for (const traits of all) {
    if (byName.has(traits.name)) throw new Error(`network ${traits.name} is listed twice`)
    byName.set(traits.name, traits)
  }
  const of = (name: Network): NetworkTraits => {
    const found = byName.get(name)
    if (found === undefined) throw new Error(`no network is called ${name} in the configuration`)
    return found
  }
  const siblings = new Map(
    all.map(({ environment, family, name }) => [
      name,
      [
        name,
        ...all
          .filter((other) => other.family === family && other.environment === environment && other.name !== name)
          .map((other) => other.name)
      ]
    ])
  )
  return { all, has: (name) => byName.has(name), of, siblings: (name) => siblings.get(of(name).name) ?? [name] }
}

/** The networks of a table, those that are named in the environments that are given for them, the others as they are. */
export const inEnvironments = ({ all }: NetworkTable, environments: ReadonlyMap<Network, Environment>): NetworkTable =>
  makeNetworkTable(
    all.map((traits) => ({ ...traits, environment: environments.get(traits.name) ?? traits.environment }))
  )
