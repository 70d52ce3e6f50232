import type { Network } from "@bursar/core/money/Network"
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
  /** Several where it serves several tenants: each is that of the address, if all is well. */
  readonly keys: ReadonlyArray<KeyRef>
}

/** An address of one tenant. */
interface Owned {
  readonly network: Network
  readonly address: string
  readonly key: KeyRef | undefined
}

/** How many tenants are asked for at a time. */
const concurrency = 4

const walletKey = (tenantId: TenantId, { custodied, index, network, seedId }: PayoutWallet): KeyRef | undefined => {
  if (custodied !== null) return { _tag: "Custodied", tenantId, network, ...custodied }
  return seedId === null ? undefined : { _tag: "Wallet", tenantId, seedId, network, index }
}

/**
 * Finds the addresses that the service can pay from, for some tenants together: wallets, and addresses with deposits that are not swept.
 * Each once, whomever it serves. All wallets come first: what is swept into one after it was read is counted where it was, or not at all.
 */
export const makeReserveAddresses = (
  queries: Queries["Service"],
  store: SolvencyStore["Service"],
  networks: Networks["Service"]
) => {
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

  const walletsOf = Effect.fnUntraced(function* (tenantId: TenantId) {
    const wallets = yield* queries.records(tenantId, PayoutWallet)
    return wallets.map((wallet): Owned => {
      const { address, network } = wallet
      return { network, address, key: walletKey(tenantId, wallet) }
    })
  })

  const unsweptOf = Effect.fnUntraced(function* (tenantId: TenantId) {
    return yield* Effect.forEach(yield* store.unswept(tenantId), (unswept) =>
      Effect.map(unsweptKey(tenantId, unswept), (key): Owned => {
        const { address, network } = unswept
        return { network, address, key }
      })
    )
  })

  return Effect.fnUntraced(function* (tenants: ReadonlyArray<TenantId>) {
    const found = new Map<string, ReserveAddress>()
    const unswept = (yield* Effect.forEach(tenants, unsweptOf, { concurrency })).flat()
    const wallets = (yield* Effect.forEach(tenants, walletsOf, { concurrency })).flat()
    for (const { address, key, network } of [...wallets, ...unswept]) {
      const adapter = networks.get(network)
      const account = adapter?.accountOf?.(address) ?? address
      // networks of two names may be one chain, where the same coins stand
      const place = `${adapter?.chainId ?? network} ${account}`
      const there = found.get(place) ?? { network, address: account, keys: [] }
      found.set(place, key === undefined ? there : { ...there, keys: [...there.keys, key] })
    }
    return [...found.values()]
  })
}
