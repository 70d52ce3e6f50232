import { createPrivateKey, createPublicKey, generateKeyPair, randomBytes, randomUUID } from "node:crypto"
import { KeyCustodies } from "@bursar/core/port/KeyCustody"
import { KeyStore } from "@bursar/core/port/KeyStore"
import { Vault, VaultError, WrappedKeyUnreadable, type WrappingAlgorithm } from "@bursar/core/port/Vault"
import type { Network, NetworkTable } from "@bursar/core/money/Network"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect, Layer } from "effect"
import { curveOf } from "./internal/curve.ts"
import { ownerOf } from "./internal/ownerOf.ts"
import { seal } from "./internal/envelope.ts"
import { attempt, sealedKeys } from "./internal/sealedKeys.ts"
import * as secp256k1 from "./internal/secp256k1.ts"
import { unwrap } from "./internal/unwrap.ts"
import { wiping } from "./internal/wiping.ts"
import type { MasterKeys } from "./MasterKeys.ts"

const seedBytes = 64
const modulusLength = 3072

const unreadable = (algorithm: WrappingAlgorithm, network: Network) =>
  new WrappedKeyUnreadable({
    message: `This cannot be unwrapped with ${algorithm}, or it does not hold the 32 bytes of a private key of ${network}.`
  })

/** PKCS #8, DER. */
const newWrappingPair = Effect.callback<Buffer, VaultError>((resume) => {
  generateKeyPair("rsa", { modulusLength }, (error, _publicKey, privateKey) =>
    resume(
      error === null
        ? Effect.sync(() => privateKey.export({ format: "der", type: "pkcs8" }))
        : Effect.fail(new VaultError({ doing: "make a wrapping key", reason: "no key pair could be generated" }))
    )
  )
})

/** The one of its kind; made and sealed where there is none, and thrown away again where another process was first. */
const firstOfKind = (keys: MasterKeys, store: KeyStore["Service"]) =>
  Effect.fnUntraced(function* <E, R>(
    tenantId: TenantId,
    kind: "SEED" | "WRAPPING",
    make: Effect.Effect<Uint8Array, E, R>
  ) {
    const there = yield* store.first(tenantId, kind)
    if (there !== undefined) return there
    const createdAt = yield* Clock.currentTimeMillis
    const secret = yield* make
    const key = { tenantId, id: randomUUID(), kind, createdAt }
    const sealed = yield* attempt("seal a secret", () => wiping(secret, (bytes) => seal(keys, ownerOf(key), bytes)))
    return yield* store.putFirst({ ...key, sealed })
  })

/** The public side of an account below a seed: an extended public key, or the one key of an account whose addresses are parts of it. */
const publicAccountOf = ({ stored, use }: ReturnType<typeof sealedKeys>, networks: NetworkTable) =>
  Effect.fn("Vault.publicAccount")(function* (tenantId: TenantId, seedId: string, network: Network) {
    const traits = networks.of(network)
    const path = traits.keyPaths.account
    const key = yield* stored(tenantId, seedId, "SEED")
    return yield* use("derive an account", key, (seed) =>
      traits.issues === "muxed"
        ? curveOf(traits).withKeyAt(seed, path, (account) =>
            Buffer.from(curveOf(traits).publicKeyOf(account) ?? []).toString("hex")
          )
        : secp256k1.xpubAt(seed, path)
    )
  })

/**
 * A vault over sealed storage. Each secret is under a data key of its own, each data key under a versioned master key, both
 * bound to the tenant and to what they are for. What is opened is overwritten when it has been used.
 */
export const layer = (keys: MasterKeys, networks: NetworkTable): Layer.Layer<Vault, never, KeyStore> =>
  Layer.effect(
    Vault,
    Effect.gen(function* () {
      const store = yield* KeyStore

      const opening = sealedKeys(keys, store, { custodies: yield* KeyCustodies, networks })
      const { use } = opening

      const first = firstOfKind(keys, store)
      const wrapping = (tenantId: TenantId) => first(tenantId, "WRAPPING", newWrappingPair)

      return Vault.of({
        createSeed: (tenantId) =>
          Effect.map(
            first(
              tenantId,
              "SEED",
              Effect.sync(() => randomBytes(seedBytes))
            ),
            ({ id }) => id
          ),
        publicAccount: publicAccountOf(opening, networks),
        wrappingKey: Effect.fn("Vault.wrappingKey")(function* (tenantId) {
          const key = yield* wrapping(tenantId)
          const publicKey = yield* use("read the wrapping key", key, (der) =>
            createPublicKey(createPrivateKey({ key: der, format: "der", type: "pkcs8" }))
              .export({ format: "pem", type: "spki" })
              .toString()
          )
          return { id: key.id, publicKey, createdAt: key.createdAt }
        }),
        importKey: Effect.fn("Vault.importKey")(function* ({ algorithm, bytes, keyId, network, tenantId }) {
          const key = yield* wrapping(tenantId)
          const owner = ownerOf({ tenantId, id: keyId, kind: "IMPORTED" })
          const imported = yield* use("read the wrapping key", key, (privateKey) => {
            // what was sent may be anything: that it cannot be unwrapped says nothing of the vault
            try {
              return unwrap(privateKey, algorithm, bytes, (secret) => {
                const publicKey = curveOf(networks.of(network)).publicKeyOf(secret)
                return publicKey === undefined ? undefined : { publicKey, sealed: seal(keys, owner, secret) }
              })
            } catch {
              return undefined
            }
          })
          return imported ?? (yield* unreadable(algorithm, network))
        }),
        createCustodyKey: Effect.fn("Vault.createCustodyKey")(opening.createCustodyKey),
        publicKey: opening.publicKey
      })
    })
  )
