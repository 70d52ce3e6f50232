import { payingWallets, PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { Queries } from "@bursar/core/store/Queries"
import type { KeyedAddress } from "@bursar/core/port/TransactionSigner"
import { importedAddressKey, ImportedAddressKey } from "@bursar/core/sweep/ImportedAddressKey"
import { Sweep } from "@bursar/core/sweep/Sweep"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { OwnedTransaction, Send } from "./Send.ts"
import { walletKey } from "./walletKey.ts"

/** The sweeps that an outbound transaction is of. */
export const sweepsOf = Effect.fnUntraced(function* ({ transaction, tenantId }: OwnedTransaction) {
  if (transaction.purpose !== "SWEEP" && transaction.purpose !== "TOP_UP") return []
  return yield* (yield* Queries).records(tenantId, Sweep, transaction.id)
})

const keyOf = Effect.fnUntraced(function* (
  family: string,
  tenantId: TenantId,
  { account, address, key, network }: Sweep
) {
  if (key._tag === "Issued") {
    const { index, seedId } = key
    return [{ address: account, key: { _tag: "Issued", tenantId, seedId, network, index } } satisfies KeyedAddress]
  }
  const imported = yield* (yield* Queries).record(tenantId, ImportedAddressKey, importedAddressKey(family, address))
  return imported === undefined
    ? []
    : [{ address: account, key: { _tag: "Imported", tenantId, keyId: imported.keyId, network } } satisfies KeyedAddress]
})

/** The tenant's own keys of the addresses that an outbound transaction sweeps, or gives coin to, and of the wallet that they are swept to. */
export const sweepKeys = Effect.fn("sweep.keys")(function* ({ traits }: Send, owned: OwnedTransaction) {
  const { transaction, tenantId } = owned
  const sweeps = yield* sweepsOf(owned)
  if (sweeps.length === 0) return []
  const wallets = yield* (yield* Queries).records(tenantId, PayoutWallet, transaction.network)
  const receiving = payingWallets(wallets)
  const keys = yield* Effect.forEach(sweeps, (sweep) => keyOf(traits.family, tenantId, sweep))
  // addresses that are parts of one account have one key
  const byAddress = new Map(keys.flat().map((key) => [key.address, key]))
  return [...byAddress.values(), ...receiving.flatMap((wallet) => walletKey(tenantId, wallet))]
})
