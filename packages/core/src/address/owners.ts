import type { View } from "../engine/View.ts"
import type { Network } from "../money/Network.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import { DepositAddress } from "./DepositAddress.ts"

/** Who owns a live address: the tenant, and the record itself where it is the view's own tenant. */
export interface LiveAddress {
  readonly owner: TenantId
  readonly record: DepositAddress | undefined
}

/** Who owns an address on a network, undefined where nobody does. Read as `LiveAddress`. */
export const liveAddress = (view: View, network: Network, address: string): LiveAddress | undefined => {
  const entry = view.addressOwner(network, address)
  if (entry === undefined) return undefined
  const { id, owner } = entry
  return { owner, record: owner === view.tenant.id ? view.get(DepositAddress, id) : undefined }
}

/** The tenant's own records of an address, on all networks, live and retired, oldest first. Read the group of the address. */
export const ownRecords = (view: View, address: string): ReadonlyArray<DepositAddress> =>
  view.group(DepositAddress, address).toSorted((one, other) => one.createdAt - other.createdAt)
