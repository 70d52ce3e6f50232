import { OperatorApi } from "@bursar/api/OperatorApi"
import { apiError } from "@bursar/api/errors/ApiError"
import { Writer } from "@bursar/core/engine/Writer"
import { addWallet, nextWalletIndex, otherWalletObjection } from "@bursar/core/provisioning/addWallet"
import { keyNamesOf, Networks } from "@bursar/core/port/Networks"
import { Queries } from "@bursar/core/store/Queries"
import { Tenants } from "@bursar/core/port/Tenants"
import { Vault } from "@bursar/core/port/Vault"
import type { Network } from "@bursar/core/money/Network"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable, refusalError, submitPrepared } from "../../../refusals.ts"
import { findNetwork } from "../../network.ts"
import { keysOrUnavailable } from "../../keysOrUnavailable.ts"
import { findTenant } from "../found.ts"
import { walletToWire } from "./toWire.ts"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"

/** The public key of a new wallet, and who holds its key: the named custody, else the vault under the tenant's seed. */
const keyFor = Effect.fnUntraced(function* (
  vault: Vault["Service"],
  wallet: { readonly tenantId: TenantId; readonly network: Network; readonly index: number },
  custody: string | undefined
) {
  if (custody === undefined) {
    const seedId = yield* keysOrUnavailable(vault.createSeed(wallet.tenantId))
    const publicKey = yield* keysOrUnavailable(vault.publicKey({ _tag: "Wallet", seedId, ...wallet }))
    return { publicKey, seedId }
  }
  const { keyId, publicKey } = yield* keysOrUnavailable(vault.createCustodyKey({ ...wallet, custody })).pipe(
    Effect.catchTag("UnknownCustody", ({ message }) => Effect.fail(apiError("state_conflict", { message })))
  )
  return { publicKey, custodied: { custody, keyId } }
})

/** POST /operator/v1/tenants/{tenant_id}/wallets: an account of the tenant whose key the vault or a custody makes and keeps. */
export const createWallet = Effect.gen(function* () {
  const writer = yield* Writer
  const queries = yield* Queries
  const tenants = yield* Tenants
  const vault = yield* Vault
  const networks = yield* Networks
  const { currencies } = yield* ServerConfig
  return HttpApiBuilder.handler(OperatorApi, "payouts", "createWallet", ({ params, payload }) =>
    Effect.gen(function* () {
      const { id: tenantId, kind } = yield* findTenant(tenants, params.tenant_id)
      const { another = false, network, role = "PAYOUT" } = payload
      const found = findNetwork(networks, kind, network)
      if (Result.isFailure(found)) return yield* refusalError(found.failure)
      const adapter = found.success
      if (role === "CHANNEL" && adapter.traits.underWayMax !== 1)
        return yield* apiError("state_conflict", { message: `${network} has no channel accounts.` })
      if (role === "CHANNEL" && another)
        return yield* apiError("state_conflict", {
          message: "Each channel account is another one: leave `another` out."
        })
      // before a custody makes a key for it that nobody can take back
      const objection = another ? otherWalletObjection(adapter.traits) : undefined
      if (objection !== undefined) return yield* apiError("state_conflict", { message: objection })
      const wallet = yield* submitPrepared(writer, tenantId, () =>
        Effect.gen(function* () {
          const wallets = yield* orUnavailable(queries.records(tenantId, PayoutWallet, network))
          const index = nextWalletIndex(wallets, role, another)
          const { publicKey: key, ...kept } = yield* keyFor(vault, { tenantId, network, index }, payload.custody)
          const [address] = adapter.keys.addressesOf(key)
          if (address === undefined) return yield* Effect.die(new Error(`a key has no address on ${network}`))
          return addWallet(
            { network, role, another, ...kept, index, address, keys: keyNamesOf(networks, network, key) },
            currencies.networks
          )
        })
      )
      return walletToWire(wallet)
    })
  )
})
