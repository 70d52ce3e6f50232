import type { Read } from "../engine/Read.ts"
import type { View } from "../engine/View.ts"
import type { AssetAccount } from "../ledger/Account.ts"
import { placeReads } from "../ledger/coverShortfall.ts"
import type { Network } from "../money/Network.ts"
import type { AddressOrigin } from "../tenant/Tenant.ts"
import { liveAddress } from "../address/owners.ts"

/** The account that holds the coins of an address: the tenant keeps the keys of what it registered or derived. */
export const holderOf = (network: Network, origin: AddressOrigin): AssetAccount =>
  origin === "REGISTERED" || origin === "DERIVED" ? `chain:${network}:tenant` : `chain:${network}:deposits`

/** Whether the tenant keeps the keys of an address. */
export const isOwnAddress = (network: Network, origin: AddressOrigin): boolean =>
  holderOf(network, origin) === `chain:${network}:tenant`

/** What arrived, as far as it matters here. */
export interface Sent {
  readonly network: Network
  readonly currency: string
  readonly units: bigint
  /** Null where the network does not tell who sent it (bitcoin). */
  readonly fromAddress: string | null
}

/** What `ownPart` reads. */
export const ownTransferReads = ({
  currency,
  fromAddress,
  network
}: Pick<Sent, "currency" | "fromAddress" | "network">): ReadonlyArray<Read> => [
  ...placeReads(`chain:${network}:tenant`, currency),
  ...(fromAddress === null ? [] : [{ _tag: "LiveAddress", network, address: fromAddress } as const])
]

/** Whether it was sent from an address whose keys the tenant holds and that the service watches. */
export const isFromOwnAddress = (
  view: View,
  { fromAddress, network }: Pick<Sent, "fromAddress" | "network">
): boolean => {
  const sender = fromAddress === null ? undefined : liveAddress(view, network, fromAddress)?.record
  return sender !== undefined && isOwnAddress(network, sender.origin)
}

/**
 * How much of what arrived the float has already: coins that were credited on an address of the tenant's own and that it has moved
 * from there. They change their place in the books and are not credited twice. `here` is what the command itself adds to the
 * coins on such addresses, or takes.
 */
export const ownPart = (view: View, sent: Sent, here: bigint): bigint => {
  if (!isFromOwnAddress(view, sent)) return 0n
  const credited = view.balance(`chain:${sent.network}:tenant`, sent.currency).units + here
  if (credited <= 0n) return 0n
  return credited < sent.units ? credited : sent.units
}
