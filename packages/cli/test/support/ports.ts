import { keyed } from "./keyed.ts"
import { issueAddresses } from "@bursar/core/address/issueAddresses"
import * as Writer from "@bursar/core/engine/Writer"
import type { Network } from "@bursar/core/money/Network"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import type { WalletRole } from "@bursar/core/transaction/PayoutWallet"
import { adapterOf, Networks } from "@bursar/core/port/Networks"
import { Queries } from "@bursar/core/store/Queries"
import { Vault } from "@bursar/core/port/Vault"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { layer as layerPostgres } from "@bursar/postgres"
import { Effect, Layer, Redacted } from "effect"
import { layerNetworks } from "../../src/assemble/adapters.ts"
import { layerSigner, layerVault } from "../../src/assemble/vault.ts"
import { noCustodies } from "../../src/config/CustodySettings.ts"
import type { NetworkSettings } from "../../src/config/NetworkSettings.ts"
import { secrets } from "./world.ts"
import { localCurrencies, localNetworks } from "./localCurrencies.ts"

const currencies = localCurrencies

/** All that pays, in the test's own process: a database, networks, the vault and the ports of them. */
export const portsOver = (url: string, settings: ReadonlyArray<NetworkSettings>, custody = noCustodies) => {
  const keys = { currencies: localCurrencies, custody, masterKeys: Redacted.make(secrets.VAULT_MASTER_KEY) }
  return Layer.mergeAll(layerVault(keys), layerSigner(keys, { currencies })).pipe(
    Layer.provideMerge(Writer.layer),
    Layer.provideMerge(
      layerNetworks(settings, currencies).pipe(
        Layer.provideMerge(layerPostgres({ url: Redacted.make(url), maxConnections: 10 }))
      )
    )
  )
}

/** Issues addresses of a tenant: from the account that it has, or from a new one on this seed. */
export const issue = Effect.fnUntraced(function* (id: TenantId, seedId: string, network: Network, count: number) {
  const [vault, networks, writer] = [yield* Vault, yield* Networks, yield* Writer.Writer]
  const { accountKeyName, addressesOf, derive } = adapterOf(networks, network).keys
  const known = yield* (yield* Queries).issuingAccount(id, localNetworks.of(network).family)
  const publicSide = yield* vault.publicAccount(id, seedId, network)
  const accountKey = network === "stellar" ? (addressesOf(Buffer.from(publicSide, "hex"))[0] ?? "") : publicSide
  const from = known?.nextIndex ?? 0
  const addresses = yield* derive(accountKey, from, count)
  const prederived = { seedId, accountKey, accountName: accountKeyName(accountKey), from, addresses }
  return yield* writer.submit(id, issueAddresses({ network, reference: "customer", count, prederived }, localNetworks))
})

/** Adds an account below a seed. */
const addAccount = Effect.fnUntraced(function* (
  id: TenantId,
  seedId: string,
  network: Network,
  more: { readonly index: number; readonly role: WalletRole; readonly another?: boolean }
) {
  const [vault, networks, writer] = [yield* Vault, yield* Networks, yield* Writer.Writer]
  const { addressesOf } = adapterOf(networks, network).keys
  const publicKey = yield* vault.publicKey({ _tag: "Wallet", tenantId: id, seedId, network, index: more.index })
  const [address = ""] = addressesOf(publicKey)
  return yield* writer.submit(id, addWallet({ network, seedId, ...more, ...keyed(address) }, localNetworks))
})

/** Adds an account that lends its numbers. */
export const addChannel = (id: TenantId, seedId: string, network: Network, index: number) =>
  addAccount(id, seedId, network, { role: "CHANNEL", index })

/** Adds an account that pays beside the first. */
export const addAnotherWallet = (id: TenantId, seedId: string, network: Network, index: number) =>
  addAccount(id, seedId, network, { role: "PAYOUT", another: true, index })
