import type { Arrival } from "@bursar/core/deposit/recordArrivals"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import { depositKey } from "@bursar/core/engine/Read"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Network } from "@bursar/core/money/Network"
import type { Block, Transfer } from "@bursar/core/port/Chain"
import type { Owned } from "@bursar/core/port/WatchState"
import type { TenantId } from "@bursar/core/tenant/Tenant"

/** The transfers of a block that can be deposits: of an asset that is in the table, and of more than nothing. */
export const countable = (network: Network, block: Block, currencies: CurrencyTable): ReadonlyArray<Transfer> =>
  block.transfers.filter(({ contract, units }) => units > 0n && currencies.byAsset(network, contract) !== undefined)

/** What a block's transfers are matched against. */
export interface MatchAgainst {
  readonly owned: ReadonlyArray<Owned>
  /** Deposits of any tenant whose transactions stand in this block. */
  readonly known: ReadonlyArray<Deposit>
  readonly currencies: CurrencyTable
  /** The newest block's number. */
  readonly latest: number
}

/**
 * The arrivals in a block by tenant. A transfer that is a deposit, or was one before a reorg, stays the deposit of its
 * tenant, even if the address is retired by now or has another owner: it never becomes the deposit of two.
 */
export const matchTransfers = (
  network: Network,
  block: Block,
  { currencies, known, latest, owned }: MatchAgainst
): ReadonlyMap<TenantId, ReadonlyArray<Arrival>> => {
  const owners = new Map(owned.map((one) => [one.address, one]))
  const earlier = new Map(known.map((deposit) => [depositKey(deposit), deposit]))
  const byTenant = new Map<TenantId, Array<Arrival>>()
  for (const { contract, from, to, transferIndex, txHash, units } of countable(network, block, currencies)) {
    const currency = currencies.byAsset(network, contract)
    const before = earlier.get(depositKey({ network, txHash, transferIndex }))
    const owner = before !== undefined && before.address === to ? before : owners.get(to)
    if (currency === undefined || owner === undefined) continue
    const arrivals = byTenant.get(owner.tenantId) ?? []
    byTenant.set(owner.tenantId, arrivals)
    arrivals.push({
      network,
      txHash,
      transferIndex,
      addressId: owner.addressId,
      address: to,
      currency: currency.code,
      units,
      fromAddress: from,
      block: { number: block.number, hash: block.hash, time: block.time },
      confirmations: latest - block.number + 1
    })
  }
  return byTenant
}
