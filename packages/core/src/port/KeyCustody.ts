import { Context, type Effect, Schema } from "effect"
import type { VaultSignature } from "./Vault.ts"

/** The curves that keys in custody may have. */
export const custodyCurves = ["secp256k1", "ed25519"] as const

/** A curve that keys in custody may have. */
export type CustodyCurve = (typeof custodyCurves)[number]

/** The public side of a key in custody. */
export interface CustodyKey {
  /** The custody's own name for the key. It never comes to mean another key. */
  readonly keyId: string
  /** What the key was made for. */
  readonly label: string
  readonly curve: CustodyCurve
  /** secp256k1: 33 bytes, compressed; ed25519: 32 bytes. */
  readonly publicKey: Uint8Array
}

/** What a label may be: letters, digits, `-`, `_` and `/`, up to 128 characters, a letter or digit first. */
export const custodyLabel = /^[A-Za-z0-9][A-Za-z0-9/_-]{0,127}$/u

const fields = { custody: Schema.String, doing: Schema.String, reason: Schema.String }

/** The custody cannot be reached, or could not do it just now. Nothing is known to have happened; ask again later. */
export class CustodyUnavailable extends Schema.TaggedError<CustodyUnavailable>()("CustodyUnavailable", fields) {
  override get message(): string {
    return `${this.custody} could not ${this.doing}: ${this.reason}`
  }
}

/** The custody will not do it: asking the same again helps nothing until somebody changes something. */
export class CustodyRefused extends Schema.TaggedError<CustodyRefused>()("CustodyRefused", fields) {
  override get message(): string {
    return `${this.custody} refused to ${this.doing}: ${this.reason}`
  }
}

/** The custody has no such key, or none that may be used here. */
export class CustodyKeyUnknown extends Schema.TaggedError<CustodyKeyUnknown>()("CustodyKeyUnknown", {
  custody: Schema.String,
  keyId: Schema.String
}) {
  override get message(): string {
    return `${this.custody} has no key ${this.keyId}`
  }
}

/** How asking a custody can fail. */
export type CustodyError = CustodyUnavailable | CustodyRefused | CustodyKeyUnknown

/**
 * A place that makes private keys, signs with them and never gives them out: a hardware security module, a key service, or
 * software that stands in for one. Nothing here can export a key.
 */
export interface KeyCustody {
  /** How wallets name this custody, such as `pkcs11`. */
  readonly name: string
  /**
   * Makes a key, or gives the one that has this label already. Refused: a label that is none ({@link custodyLabel}), or one whose key
   * is on another curve.
   */
  readonly generate: (wish: {
    readonly label: string
    readonly curve: CustodyCurve
  }) => Effect.Effect<CustodyKey, CustodyError>
  /** The public side of a key. */
  readonly describe: (keyId: string) => Effect.Effect<CustodyKey, CustodyError>
  /** Every key that may be used here, by label. */
  readonly list: Effect.Effect<ReadonlyArray<CustodyKey>, CustodyError>
  /**
   * Signs 32 bytes with secp256k1: `s` is the lower one, and `recovery` gives back the public key. Refused: another length, or a key
   * on another curve.
   */
  readonly signDigest: (keyId: string, digest: Uint8Array) => Effect.Effect<VaultSignature, CustodyError>
  /** Signs a message with ed25519 (RFC 8032, pure). Refused: a key on another curve. */
  readonly signMessage: (keyId: string, message: Uint8Array) => Effect.Effect<VaultSignature, CustodyError>
}

/** The custodies that a process may use, by name. None, where nothing is configured. */
export const KeyCustodies: Context.Reference<ReadonlyMap<string, KeyCustody>> = Context.Reference(
  "@bursar/core/port/KeyCustodies",
  { defaultValue: (): ReadonlyMap<string, KeyCustody> => new Map() }
)

/** Wraps and unwraps small secrets, such as master keys, under a key that never leaves hardware or a key service. */
export interface KeyWrapper {
  readonly name: string
  /** `purpose` is bound to what is wrapped, where the custody can: it unwraps for no other. */
  readonly wrap: (purpose: string, secret: Uint8Array) => Effect.Effect<Uint8Array, CustodyError>
  /** Refused: what was not wrapped here, was altered, or was wrapped for another purpose. */
  readonly unwrap: (purpose: string, wrapped: Uint8Array) => Effect.Effect<Uint8Array, CustodyError>
}
