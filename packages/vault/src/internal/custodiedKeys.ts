import type { NetworkTable } from "@bursar/core/money/Network"
import type { CustodyError, CustodyKey, KeyCustody } from "@bursar/core/port/KeyCustody"
import type { Network } from "@bursar/core/money/Network"
import { type KeyRef, UnknownCustody, VaultError, type VaultSignature } from "@bursar/core/port/Vault"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"

type Custodied = Extract<KeyRef, { readonly _tag: "Custodied" }>

/** Keys of which it is remembered that they are their tenants'. */
const rememberedMax = 10_000

/** What the label of a wallet's key begins with: a key is of one tenant and network, whatever a row says. */
const ownerLabel = (tenantId: TenantId, network: Network): string => `${tenantId}/${network}/`

const asVaultError =
  (doing: string) =>
  (error: CustodyError): VaultError =>
    new VaultError({ doing, reason: error.message })

/** The keys of wallets that custodies hold. Each is used for the tenant and the network alone that its label names. */
export const custodiedKeys = (custodies: ReadonlyMap<string, KeyCustody>, networks: NetworkTable) => {
  const remembered = new Map<string, CustodyKey>()

  const found = Effect.fnUntraced(function* (doing: string, { custody: name, keyId, network, tenantId }: Custodied) {
    const custody = custodies.get(name)
    if (custody === undefined) {
      return yield* new VaultError({ doing, reason: `the key custody ${name} is not configured here` })
    }
    const id = JSON.stringify([name, keyId, tenantId, network])
    const there = remembered.get(id)
    if (there !== undefined) return { custody, key: there }
    const key = yield* Effect.mapError(custody.describe(keyId), asVaultError(doing))
    if (!key.label.startsWith(ownerLabel(tenantId, network)) || key.curve !== networks.of(network).keyPaths.curve) {
      return yield* new VaultError({ doing, reason: `the key ${keyId} of ${name} is not the tenant's on ${network}` })
    }
    if (remembered.size >= rememberedMax) remembered.clear()
    remembered.set(id, key)
    return { custody, key }
  })

  return {
    publicKey: (ref: Custodied): Effect.Effect<Uint8Array, VaultError> =>
      Effect.map(found("give a public key", ref), ({ key }) => Uint8Array.from(key.publicKey)),

    signDigest: Effect.fnUntraced(function* (ref: Custodied, digest: Uint8Array) {
      const { custody, key } = yield* found("sign", ref)
      const sign = key.curve === "ed25519" ? custody.signMessage : custody.signDigest
      const signature: VaultSignature = yield* Effect.mapError(sign(key.keyId, digest), asVaultError("sign"))
      return signature
    }),

    create: Effect.fnUntraced(function* (wish: {
      readonly tenantId: TenantId
      readonly network: Network
      readonly custody: string
      readonly index: number
    }) {
      const custody = custodies.get(wish.custody)
      if (custody === undefined) return yield* new UnknownCustody({ custody: wish.custody })
      const label = `${ownerLabel(wish.tenantId, wish.network)}${wish.index}`
      const { curve } = networks.of(wish.network).keyPaths
      const { keyId, publicKey } = yield* Effect.mapError(
        custody.generate({ label, curve }),
        asVaultError("make a key")
      )
      return { keyId, publicKey }
    })
  }
}
