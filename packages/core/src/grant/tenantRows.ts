import { Effect } from "effect"
import { fromHex } from "../base/hex.ts"
import { IssuingAccount } from "../address/IssuingAccount.ts"
import { Destination } from "../destination/Destination.ts"
import type { NetworkAdapter } from "../port/NetworkAdapter.ts"
import { Networks } from "../port/Networks.ts"
import { Tenants } from "../port/Tenants.ts"
import { type KeyRef, Vault, type VaultError } from "../port/Vault.ts"
import { Queries } from "../store/Queries.ts"
import type { Tenant, TenantId } from "../tenant/Tenant.ts"
import { PayoutWallet } from "../transaction/PayoutWallet.ts"
import type { TenantRows } from "./importedGrants.ts"

const strange = "it is not that of the key that its row names"

const unchecked = "its network is off, so that its key cannot be looked at"

const unopened = ({ message }: VaultError) => Effect.succeed(message)

const keyOf = (tenantId: TenantId, { custodied, index, network, seedId }: PayoutWallet): KeyRef | undefined => {
  if (seedId !== null) return { _tag: "Wallet", tenantId, seedId, network, index }
  return custodied === null ? undefined : { _tag: "Custodied", tenantId, network, ...custodied }
}

/** What is wrong with the address of a wallet, which must be that of its key. */
const walletProblem = Effect.fnUntraced(
  function* (
    vault: Vault["Service"],
    adapter: NetworkAdapter | undefined,
    { tenantId, wallet }: { readonly tenantId: TenantId; readonly wallet: PayoutWallet }
  ) {
    const key = keyOf(tenantId, wallet)
    if (adapter === undefined) return unchecked
    if (key === undefined) return strange
    return adapter.keys.addressesOf(yield* vault.publicKey(key)).includes(wallet.address) ? undefined : strange
  },
  Effect.catchTag("VaultError", unopened)
)

/** What is wrong with the key of an account that addresses are issued from, which must be that of its seed. */
const accountProblem = Effect.fnUntraced(
  function* (
    vault: Vault["Service"],
    adapter: NetworkAdapter | undefined,
    { accountKey, seedId, tenantId }: IssuingAccount
  ) {
    if (adapter === undefined) return unchecked
    const { keys, traits } = adapter
    const own = yield* vault.publicAccount(tenantId, seedId, traits.name)
    const names = traits.issues === "muxed" ? keys.addressesOf(fromHex(own)) : [own]
    return names.includes(accountKey) ? undefined : strange
  },
  Effect.catchTag("VaultError", unopened)
)

/** Reads the rows of a tenant that grants are to speak of, and looks whether its wallets and accounts are those of its keys. */
export const readTenantRows = Effect.fn("grant.readTenantRows")(function* (tenant: Tenant) {
  const { id } = tenant
  const [networks, queries, tenants, vault] = [yield* Networks, yield* Queries, yield* Tenants, yield* Vault]
  const wallets = yield* queries.records(id, PayoutWallet)
  const issuingAccounts = yield* queries.records(id, IssuingAccount)
  const doubtful = new Map<string, string>()
  for (const wallet of wallets) {
    const found = yield* walletProblem(vault, networks.get(wallet.network), { tenantId: id, wallet })
    if (found !== undefined) doubtful.set(wallet.address, found)
  }
  const adapters = networks.enabled.flatMap((name) => networks.get(name) ?? [])
  for (const account of issuingAccounts) {
    const adapter = adapters.find(({ traits }) => traits.family === account.family)
    const found = yield* accountProblem(vault, adapter, account)
    if (found !== undefined) doubtful.set(account.accountKey, found)
  }
  const rows: TenantRows = {
    tenant,
    apiKeys: yield* tenants.keys(id),
    signingKeys: yield* tenants.signingKeys(id),
    destinations: yield* queries.records(id, Destination),
    wallets,
    issuingAccounts,
    doubtful
  }
  return rows
})
