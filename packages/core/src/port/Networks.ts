import { Context, Result } from "effect"
import type { KeyName } from "../engine/Directory.ts"
import type { KeyFamily, Network } from "../money/Network.ts"
import type { KeyForm, NetworkAdapter, NetworkKeys } from "./NetworkAdapter.ts"

/** How addresses follow from keys, by families of networks; in several ways where the chains of a family differ in it. */
export type FamilyKeys = ReadonlyMap<KeyFamily, ReadonlyArray<NetworkKeys>>

/** The networks that are switched on, each by its one adapter. */
export class Networks extends Context.Service<
  Networks,
  {
    readonly enabled: ReadonlyArray<Network>
    readonly get: (network: Network) => NetworkAdapter | undefined
    /** The forms in which public keys are named, those of networks that are off among them. */
    readonly keyForms: ReadonlyArray<KeyForm>
    /** How addresses follow from keys, those of families of which no network is on among them: it takes no node. */
    readonly familyKeys: FamilyKeys
  }
>()("@bursar/core/port/Networks") {}

/**
 * The networks of some adapters, and what is known of keys beside them, for networks that are off: the forms in which public keys are named,
 * and how addresses follow. A name that stands twice is a mistake of the configuration and throws.
 */
export const makeNetworks = (
  adapters: ReadonlyArray<NetworkAdapter>,
  keyForms: ReadonlyArray<KeyForm> = [],
  familyKeys: FamilyKeys = new Map()
): Networks["Service"] => {
  const byName = new Map(adapters.map((adapter) => [adapter.traits.name, adapter]))
  if (byName.size !== adapters.length) throw new Error("a network has two adapters")
  return Networks.of({ enabled: [...byName.keys()], get: (network) => byName.get(network), keyForms, familyKeys })
}

/** The adapter of a network that is known to be on; throws where it is off, which is a bug of the caller. */
export const adapterOf = (networks: Networks["Service"], network: Network): NetworkAdapter => {
  const found = networks.get(network)
  if (found === undefined) throw new Error(`the network ${network} is off`)
  return found
}

/** The canonical form of an address of a network, or in words why it is none: the network may be off. */
export const parseAddress = (
  networks: Networks["Service"],
  network: Network,
  text: string
): Result.Result<string, string> =>
  networks.get(network)?.parseAddress(text) ?? Result.fail(`The network ${network} is off.`)

/**
 * All names of a public key that was made for a network.
 *
 * **Details**
 *
 * A key is good on every network of its curve, whether that is switched on or not, so it is named in the forms of them all: a key that one
 * tenant has on one network is no other's on another. Throws where the network is off.
 */
export const keyNamesOf = (
  networks: Networks["Service"],
  network: Network,
  publicKey: Uint8Array
): ReadonlyArray<KeyName> => {
  const { keys, traits } = adapterOf(networks, network)
  const same = networks.keyForms.filter(({ curve }) => curve === traits.keyPaths.curve)
  return [...new Set([keys, ...same].flatMap((form) => form.keysOfPublicKey(publicKey)))]
}
