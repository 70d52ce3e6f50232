import { ProviderOrder } from "@bursar/core/custody/ProviderOrder"
import type { FactName, FactOf } from "@bursar/core/records"
import type { Network } from "@bursar/core/money/Network"
import { holderOf, recordsOf, type State } from "./Store.ts"
import { switchesOf } from "./switchesOf.ts"

/** Where each fact that all tenants share is found; undefined where nothing is known. */
export const factReaders: { readonly [N in FactName]: (state: State, key: string) => FactOf<N> | undefined } = {
  leaseEpoch: ({ epochs }, name) => epochs.get(name),
  networkHeight: ({ networks }, network) => {
    const known = networks.get(network as Network) // one that is none is not there
    return known?.cursor === undefined ? undefined : Math.max(known.cursor.number, known.latest ?? 0)
  },
  orderOwner: (state, key) => {
    const holder = holderOf(state, ProviderOrder, key)
    return holder && recordsOf(holder, ProviderOrder).get(key)?.operationId
  },
  payoutsOff: (state, network) => switchesOf(state).get(network)?.payoutsOff
}
