import { Context, Result } from "effect"
import type { KeyName } from "../engine/Directory.ts"
import type { Network } from "../money/Network.ts"
import type { KeyForm, NetworkAdapter } from "./NetworkAdapter.ts"

/** The networks that are switched on, each by its one adapter. */
export class Networks extends Context.Service<
  Networks,
  {
    readonly enabled: ReadonlyArray<Network>
    readonly get: (network: Network) => NetworkAdapter | undefined
    /** The forms in which public keys are named, those of networks that are off among them. */
    readonly keyForms: ReadonlyArray<KeyForm>
  }
>()("@bursar/core/port/Networks") {}

/**
 * The networks of some adapters, and the forms in which public keys are named beside their own. A name that stands twice is a mistake of
 * the configuration and throws.
 */
export const makeNetworks = (
  adapters: ReadonlyArray<NetworkAdapter>,
  keyForms: ReadonlyArray<KeyForm> = []
): Networks["Service"] => {
  const byName = new Map(adapters.map((adapter) => [adapter.traits.name, adapter]))
  if (byName.size !== adapters.length) throw new Error("a network has two adapters")
  return Networks.of({ enabled: [...byName.keys()], get: (network) => byName.get(network), keyForms })
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
