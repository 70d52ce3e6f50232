import { Context, type Effect, Schema } from "effect"
import type { Network } from "../money/Network.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import type { StorageError } from "../engine/StorageError.ts"

/** How a private key may be wrapped for the vault's RSA key. */
export const wrappingAlgorithms = ["RSA-OAEP-SHA256", "RSA-OAEP-SHA256+AES-KWP"] as const

/** How a private key may be wrapped for the vault's RSA key. */
export type WrappingAlgorithm = (typeof wrappingAlgorithms)[number]

/** What a tenant wraps its private keys for. */
export interface WrappingKey {
  readonly id: string
  /** SPKI, PEM. */
  readonly publicKey: string
  readonly createdAt: number
}

/**
 * Which private key is meant: one of a tenant's seed that addresses are issued from, one of it that is paid from (a branch of its
 * own), one that the tenant has imported, or one that a custody holds for a wallet of the tenant on the network.
 */
export type KeyRef =
  | {
      readonly _tag: "Wallet"
      readonly tenantId: TenantId
      readonly seedId: string
      readonly network: Network
      readonly index: number
    }
  | {
      readonly _tag: "Issued"
      readonly tenantId: TenantId
      readonly seedId: string
      readonly network: Network
      readonly index: number
    }
  | { readonly _tag: "Imported"; readonly tenantId: TenantId; readonly keyId: string; readonly network: Network }
  | {
      readonly _tag: "Custodied"
      readonly tenantId: TenantId
      readonly network: Network
      /** The name of the custody, such as `pkcs11`. */
      readonly custody: string
      /** The custody's own id of the key. */
      readonly keyId: string
    }

/** A signature of secp256k1: 64 bytes, `r` then `s` (the lower one), and which of the points was meant; of ed25519: 64 bytes. */
export interface VaultSignature {
  readonly bytes: Uint8Array
  /** 0 to 3; null with ed25519. */
  readonly recovery: number | null
}

/** A wrapped key cannot be unwrapped, or holds no private key of its network. Says what to look at and shows nothing of it. */
export class WrappedKeyUnreadable extends Schema.TaggedError<WrappedKeyUnreadable>()("WrappedKeyUnreadable", {
  message: Schema.String
}) {}

/** The vault cannot open what it has sealed, or does not have it: another master key, tampering, or a wrong reference. */
export class VaultError extends Schema.TaggedError<VaultError>()("VaultError", {
  doing: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `the vault could not ${this.doing}: ${this.reason}`
  }
}

/** Nothing is configured here under the name of a custody. */
export class UnknownCustody extends Schema.TaggedError<UnknownCustody>()("UnknownCustody", { custody: Schema.String }) {
  override get message(): string {
    return `There is no key custody ${this.custody}.`
  }
}

/** The only holder of private keys. No secret leaves it, not into a reply, an error or a log. */
export class Vault extends Context.Service<
  Vault,
  {
    /** The id of the tenant's seed, which is made at first use. */
    readonly createSeed: (tenantId: TenantId) => Effect.Effect<string, VaultError | StorageError>
    /** The public side of the account that a network's addresses are issued from: an xpub, on stellar 32 bytes in hexadecimal. */
    readonly publicAccount: (
      tenantId: TenantId,
      seedId: string,
      network: Network
    ) => Effect.Effect<string, VaultError | StorageError>
    /** The tenant's wrapping key, which is made at first use. */
    readonly wrappingKey: (tenantId: TenantId) => Effect.Effect<WrappingKey, VaultError | StorageError>
    /**
     * Unwraps a private key, seals it anew under `keyId` and gives its public side. Stores nothing: that is for the command
     * that takes it, once the address is known to be that of the key.
     */
    readonly importKey: (wrapped: {
      readonly tenantId: TenantId
      readonly keyId: string
      readonly network: Network
      readonly bytes: Uint8Array
      readonly algorithm: WrappingAlgorithm
    }) => Effect.Effect<
      { readonly publicKey: Uint8Array; readonly sealed: string },
      WrappedKeyUnreadable | VaultError | StorageError
    >
    /** Has a custody make the key of a tenant's wallet; the same index is given the same key again. */
    readonly createCustodyKey: (wish: {
      readonly tenantId: TenantId
      readonly network: Network
      readonly custody: string
      readonly index: number
    }) => Effect.Effect<
      { readonly keyId: string; readonly publicKey: Uint8Array },
      UnknownCustody | VaultError | StorageError
    >
    /** The public side of a key: 33 bytes of secp256k1, on stellar 32 of ed25519. */
    readonly publicKey: (key: KeyRef) => Effect.Effect<Uint8Array, VaultError | StorageError>
  }
>()("@bursar/core/port/Vault") {}
