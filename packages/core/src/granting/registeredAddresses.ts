import { Result } from "effect"
import type { DepositAddress } from "../address/DepositAddress.ts"
import type { Network, NetworkTable } from "../money/Network.ts"
import type { Networks } from "../port/Networks.ts"
import type { Registered } from "../port/SignedRegistrations.ts"

type Names = ReadonlySet<string>

/**
 * Tells whether a request registers an address. The addresses of a request are decoded once for each network that is asked for, and looked up from
 * then on: a batch has hundreds of them, and each would be decoded anew for each of the others.
 */
export const makeRegisters = (networks: Networks["Service"], table: NetworkTable) => {
  // goes with the memory of the requests themselves
  const known = new WeakMap<Registered, Map<Network, Names>>()
  const siblingsOf = (network: Network) => (table.has(network) ? table.siblings(network) : [network])
  const adapterOn = (network: Network) => siblingsOf(network).flatMap((name) => networks.get(name) ?? [])[0]

  const decode = (registered: Registered, network: Network): Names => {
    if (registered._tag !== "Addresses") return new Set()
    const same = siblingsOf(network)
    const on = adapterOn(network)
    const texts = registered.addresses.flatMap((one) => (same.includes(one.network) ? one.address : []))
    // a network that is off reads nothing: none of its notations has two addresses that differ in case alone
    return new Set(
      on === undefined
        ? texts.map((text) => text.toLowerCase())
        : texts.flatMap((text) => Result.getOrElse(on.parseAddress(text), () => []))
    )
  }

  const namesOf = (registered: Registered, network: Network): Names => {
    const byNetwork = known.get(registered) ?? new Map<Network, Names>()
    known.set(registered, byNetwork)
    const names = byNetwork.get(network) ?? decode(registered, network)
    byNetwork.set(network, names)
    return names
  }

  return (registered: Registered, { address, network }: Pick<DepositAddress, "address" | "network">): boolean =>
    namesOf(registered, network).has(adapterOn(network) === undefined ? address.toLowerCase() : address)
}
