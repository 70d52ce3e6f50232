import type { IncomingTransfer } from "@bursar/core/incoming/recordIncomingTransfers"
import { type BlockPoint, Deposit } from "@bursar/core/deposit/Deposit"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Network } from "@bursar/core/money/Network"
import type { FoundAtWallet } from "@bursar/core/incoming/walletTransfers"
import type { Transfer } from "@bursar/core/port/Chain"
import type { Owned } from "@bursar/core/store/WatchState"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import type { Watch } from "./Watch.ts"

/** The transfers that can be deposits: of an asset that is in the table, and of more than nothing. */
export const countable = (
  network: Network,
  transfers: ReadonlyArray<Transfer>,
  currencies: CurrencyTable
): ReadonlyArray<Transfer> =>
  transfers.filter(({ contract, units }) => units > 0n && currencies.byAsset(network, contract) !== undefined)

/** The addresses that a transfer may be meant for, the more exact first: a part of an account, then the account. */
export const receiversOf = (
  { accountOf }: Pick<Watch, "accountOf">,
  { to }: Pick<Transfer, "to">
): ReadonlyArray<string> => {
  const account = accountOf?.(to)
  return account === undefined ? [to] : [to, account]
}

const isWallet = (owner: Owned | Deposit): boolean => "wallet" in owner && owner.wallet === true

/** What transfers are matched against. */
export interface MatchAgainst {
  /** The block that they stand in, null where they wait for one. */
  readonly block: BlockPoint | null
  readonly owned: ReadonlyArray<Owned>
  /** Deposits of any tenant whose transactions are among these. */
  readonly known: ReadonlyArray<Deposit>
  readonly currencies: CurrencyTable
  /** The newest block's number. */
  readonly latest: number
}

/**
 * The arrivals among some transfers, by tenant. A transfer that is a deposit, or was one before a reorg, stays the deposit
 * of its tenant, even if the address is retired by now or has another owner: it never becomes the deposit of two.
 */
export const matchTransfers = (
  watch: Pick<Watch, "accountOf" | "chain" | "keysOf">,
  transfers: ReadonlyArray<Transfer>,
  { block, currencies, known, latest, owned }: MatchAgainst
): ReadonlyMap<TenantId, ReadonlyArray<IncomingTransfer>> => {
  const { network } = watch.chain
  const owners = new Map(owned.map((one) => [one.address, one]))
  const earlier = new Map(known.map((deposit) => [Deposit.text(deposit), deposit]))
  const byTenant = new Map<TenantId, Array<IncomingTransfer>>()
  for (const transfer of transfers) {
    const { contract, from, innerHash, transferIndex, txHash, units } = transfer
    const currency = currencies.byAsset(network, contract)
    const receivers = receiversOf(watch, transfer)
    const before = earlier.get(Deposit.text({ network, txHash, transferIndex }))
    const owner =
      before !== undefined && receivers.includes(before.address)
        ? before
        : receivers.map((address) => owners.get(address)).find((one) => one !== undefined)
    if (currency === undefined || owner === undefined || isWallet(owner)) continue
    const incomingTransfers = byTenant.get(owner.tenantId) ?? []
    byTenant.set(owner.tenantId, incomingTransfers)
    incomingTransfers.push({
      network,
      txHash,
      ...(innerHash === undefined ? {} : { innerHash }),
      transferIndex,
      addressId: owner.addressId,
      address: owner.address,
      keys: watch.keysOf(owner.address),
      currency: currency.code,
      units,
      fromAddress: from,
      block,
      confirmations: block === null ? 0 : latest - block.number + 1
    })
  }
  return byTenant
}

/**
 * What came to wallets among some transfers of a block, by tenant, and to accounts that addresses are parts of where it names none
 * of them. It is never a deposit; what is a deposit stays one, even if the part that it names has been retired.
 */
export const matchWallets = (
  watch: Pick<Watch, "accountOf" | "chain">,
  transfers: ReadonlyArray<Transfer>,
  {
    block,
    currencies,
    known,
    owned
  }: Pick<MatchAgainst, "currencies" | "known" | "owned"> & { readonly block: BlockPoint }
): ReadonlyMap<TenantId, ReadonlyArray<FoundAtWallet>> => {
  const { network } = watch.chain
  const owners = new Map(owned.map((one) => [one.address, one]))
  const earlier = new Map(known.map((deposit) => [Deposit.text(deposit), deposit]))
  const found = transfers.flatMap((transfer) => {
    const { contract, from, innerHash, transferIndex, txHash, units } = transfer
    const currency = currencies.byAsset(network, contract)?.code
    const receivers = receiversOf(watch, transfer)
    // the more exact receiver has it: a part of an account that somebody has is no arrival at the account
    const wallet = receivers.map((address) => owners.get(address)).find((one) => one !== undefined)
    if (currency === undefined || wallet === undefined || !isWallet(wallet)) return []
    // a deposit of another address once stood in this place, and is not what came to the wallet; one that counts is not taken for a mistake
    const before = earlier.get(Deposit.text({ network, txHash, transferIndex }))
    if (before !== undefined && (before.status === "CONFIRMED" || receivers.includes(before.address))) return []
    const { address, addressId, tenantId } = wallet
    const incomingTransfer = {
      network,
      txHash,
      ...(innerHash === undefined ? {} : { innerHash }),
      transferIndex,
      walletId: addressId,
      address,
      paidTo: transfer.to,
      memo: transfer.memo ?? null,
      currency,
      units,
      fromAddress: from,
      block
    }
    return [{ tenantId, incomingTransfer }]
  })
  const byTenant = Map.groupBy(found, ({ tenantId }) => tenantId)
  return new Map(
    [...byTenant].map(([tenantId, all]) => [tenantId, all.map(({ incomingTransfer }) => incomingTransfer)])
  )
}
