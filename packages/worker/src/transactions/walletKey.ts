import type { KeyedAddress } from "@bursar/core/port/TransactionSigner"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import type { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"

/** The address of a wallet with its key, which is of a seed or in a custody; none where the record names neither. */
export const walletKey = (
  tenantId: TenantId,
  { address, custodied, index, network, seedId }: PayoutWallet
): ReadonlyArray<KeyedAddress> => {
  if (custodied !== null) return [{ address, key: { _tag: "Custodied", tenantId, network, ...custodied } }]
  return seedId === null ? [] : [{ address, key: { _tag: "Wallet", tenantId, seedId, network, index } }]
}
