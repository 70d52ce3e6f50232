import type { Network } from "@bursar/core/money/Network"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import type { Networks } from "@bursar/core/port/Networks"
import type { KeyRef } from "@bursar/core/port/Vault"
import type { SolvencyStore, UnsweptAddress } from "@bursar/core/solvency/SolvencyStore"
import type { Queries } from "@bursar/core/store/Queries"
import { ImportedAddressKey, importedAddressKey } from "@bursar/core/sweep/ImportedAddressKey"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { Effect } from "effect"

/** An address whose key the service holds. */
export interface ReserveAddress {
  readonly network: Network
  /** Canonical; the account where an address is a part of one. */
  readonly address: string
  readonly key: KeyRef
}

const walletKey = (tenantId: TenantId, { custodied, index, network, seedId }: PayoutWallet): KeyRef | undefined => {
  if (custodied !== null) return { _tag: "Custodied", tenantId, network, ...custodied }
  return seedId === null ? undefined : { _tag: "Wallet", tenantId, seedId, network, index }
}

/** Finds the addresses of a tenant that the service can pay from: wallets, and addresses with deposits that are not swept. */
export const makeReserveAddresses = (
  queries: Queries["Service"],
  store: SolvencyStore["Service"],
  networks: Networks["Service"]
) => {
  const accountOf = (adapter: NetworkAdapter | undefined, address: string): string =>
    adapter?.accountOf?.(address) ?? address

  const unsweptKey = Effect.fnUntraced(function* (tenantId: TenantId, { address, key, network }: UnsweptAddress) {
    if (key._tag === "Issued") {
      const { index, seedId } = key
      return { _tag: "Issued", tenantId, seedId, network, index } satisfies KeyRef
    }
    const family = networks.get(network)?.traits.family
    if (family === undefined) return undefined
    const imported = yield* queries.record(tenantId, ImportedAddressKey, importedAddressKey(family, address))
    return imported && ({ _tag: "Imported", tenantId, keyId: imported.keyId, network } satisfies KeyRef)
  })

  return Effect.fnUntraced(function* (tenantId: TenantId) {
    const found = new Map<string, ReserveAddress>()
    const add = (network: Network, address: string, key: KeyRef | undefined): void => {
      const account = accountOf(networks.get(network), address)
      if (key !== undefined) found.set(`${network}|${account}`, { network, address: account, key })
    }
    for (const wallet of yield* queries.records(tenantId, PayoutWallet))
      add(wallet.network, wallet.address, walletKey(tenantId, wallet))
    for (const unswept of yield* store.unswept(tenantId))
      add(unswept.network, unswept.address, yield* unsweptKey(tenantId, unswept))
    return [...found.values()]
  })
}
