import { Effect } from "effect"
import type { IssuingAccount } from "../address/IssuingAccount.ts"
import { fromHex } from "../base/hex.ts"
import type { StorageError } from "../engine/StorageError.ts"
import type { NetworkAdapter } from "../port/NetworkAdapter.ts"
import { Vault, type VaultError } from "../port/Vault.ts"
import type { TenantId } from "../tenant/Tenant.ts"

/** The account that the first address of a tenant is issued from. Makes the tenant's seed where there is none; undefined where a network has no such account. */
export const beginningAccount = Effect.fn("granting.beginningAccount")(function* (
  tenantId: TenantId,
  { keys, traits }: Pick<NetworkAdapter, "keys" | "traits">
): Effect.fn.Return<
  Pick<IssuingAccount, "accountKey" | "nextIndex" | "seedId"> | undefined,
  VaultError | StorageError,
  Vault
> {
  const vault = yield* Vault
  const seedId = yield* vault.createSeed(tenantId)
  const publicSide = yield* vault.publicAccount(tenantId, seedId, traits.name)
  const [accountKey] = traits.issues === "muxed" ? keys.addressesOf(fromHex(publicSide)) : [publicSide]
  return accountKey === undefined ? undefined : { seedId, accountKey, nextIndex: 0 }
})
