import type { SealedKey } from "@bursar/core/port/SealedKey"
import type { NetworkTable, NetworkTraits } from "@bursar/core/money/Network"
import type { KeyCustody } from "@bursar/core/port/KeyCustody"
import type { KeyStore } from "@bursar/core/port/KeyStore"
import { type KeyRef, VaultError, type VaultSignature } from "@bursar/core/port/Vault"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { MasterKeys } from "../MasterKeys.ts"
import { curveOf } from "./curve.ts"
import { custodiedKeys } from "./custodiedKeys.ts"
import { open } from "./envelope.ts"
import { ownerOf } from "./ownerOf.ts"
import type { PublicKeys } from "./secp256k1.ts"

const digestBytes = 32

/** How many sealed keys are kept in memory, as they are stored: each is opened anew whenever it is used. */
const keptMax = 10_000

/** A sealed key, and the public keys on the ways to those below it. */
interface KeptKey {
  readonly key: SealedKey
  readonly publicKeys: PublicKeys
}

/** What goes wrong is told in our own words: those of a library could repeat what it was given. */
export const attempt = <A>(doing: string, use: () => A): Effect.Effect<A, VaultError> =>
  Effect.try({
    try: use,
    catch: () =>
      new VaultError({ doing, reason: "it was sealed under a master key that is not here, or has been altered" })
  })

const pathOf = (
  ref: Extract<KeyRef, { readonly _tag: "Wallet" | "Issued" }>,
  { issues, keyPaths }: Pick<NetworkTraits, "issues" | "keyPaths">
): string => {
  if (ref._tag === "Wallet") return keyPaths.wallet(ref.index)
  return issues === "muxed" ? keyPaths.account : `${keyPaths.account}/0/${ref.index}`
}

type SealedRef = Exclude<KeyRef, { readonly _tag: "Custodied" }>

/** The keys of a store, opened for as long as they are used, and those of custodies, which sign themselves. */
export const sealedKeys = (
  keys: MasterKeys,
  store: KeyStore["Service"],
  {
    custodies,
    networks
  }: {
    readonly custodies: ReadonlyMap<string, KeyCustody>
    readonly networks: NetworkTable
  }
) => {
  const curve = ({ network }: KeyRef) => curveOf(networks.of(network))
  const custodied = custodiedKeys(custodies, networks)

  const stored = Effect.fnUntraced(function* (tenantId: TenantId, id: string, kind: SealedKey["kind"]) {
    const key = yield* store.byId(tenantId, id)
    return key?.kind === kind
      ? key
      : yield* new VaultError({ doing: "find a key", reason: `the tenant has no key ${id} of the kind ${kind}` })
  })

  const use = <A>(doing: string, key: SealedKey, then: (secret: Buffer) => A) =>
    attempt(doing, () => open(keys, ownerOf(key), key.sealed, then))

  const kept = new Map<string, KeptKey>()

  /** As `use`, of a stored key, which is kept, sealed, once it has opened as its tenant's: that never changes. */
  const useStored = Effect.fnUntraced(function* <A>(
    doing: string,
    { id, kind, tenantId }: Pick<SealedKey, "id" | "kind" | "tenantId">,
    then: (secret: Buffer, publicKeys: PublicKeys) => A
  ) {
    const name = ownerOf({ id, kind, tenantId })
    const there = kept.get(name)
    const one = there ?? { key: yield* stored(tenantId, id, kind), publicKeys: new Map() }
    const lent = yield* use(doing, one.key, (secret) => then(secret, one.publicKeys))
    if (there === undefined) {
      if (kept.size >= keptMax) kept.clear()
      kept.set(name, one)
    }
    return lent
  })

  /** Lends a private key. */
  const withKey = <A>(doing: string, ref: SealedRef, then: (privateKey: Uint8Array) => A) => {
    const { tenantId } = ref
    if (ref._tag === "Imported") return useStored(doing, { tenantId, id: ref.keyId, kind: "IMPORTED" }, then)
    return useStored(doing, { tenantId, id: ref.seedId, kind: "SEED" }, (secret, publicKeys) =>
      curve(ref).withKeyAt(secret, pathOf(ref, networks.of(ref.network)), then, publicKeys)
    )
  }

  return {
    stored,
    use,
    createCustodyKey: custodied.create,
    publicKey: Effect.fnUntraced(function* (ref: KeyRef) {
      if (ref._tag === "Custodied") return yield* custodied.publicKey(ref)
      const publicKey = yield* withKey("give a public key", ref, (key) => curve(ref).publicKeyOf(key))
      return publicKey === undefined
        ? yield* new VaultError({ doing: "give a public key", reason: "what is stored is no private key" })
        : Uint8Array.from(publicKey)
    }),
    /** Signs a digest of 32 bytes with secp256k1 (RFC 6979), on stellar with ed25519. */
    signDigest: Effect.fnUntraced(function* (ref: KeyRef, digest: Uint8Array) {
      if (digest.length !== digestBytes) {
        return yield* new VaultError({ doing: "sign", reason: `a digest has ${digestBytes} bytes` })
      }
      if (ref._tag === "Custodied") return yield* custodied.signDigest(ref, digest)
      const signature: VaultSignature = yield* withKey("sign", ref, (key) => curve(ref).sign(key, digest))
      return signature
    })
  }
}
