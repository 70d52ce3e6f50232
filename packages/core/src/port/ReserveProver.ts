import { Context, type Effect, Schema } from "effect"
import type { StorageError } from "../engine/StorageError.ts"
import type { MessageFormat, Network } from "../money/Network.ts"
import type { KeyRef, VaultError } from "./Vault.ts"

/** What the key of an address is to sign for, field by field: nobody but whoever has the key writes the text. */
export interface ReserveToProve {
  readonly key: KeyRef
  readonly network: Network
  /** Canonical. */
  readonly address: string
  readonly service: string
  readonly snapshotId: string
  /** SHA-256 of what is owed by the snapshot, in lower-case hexadecimal. */
  readonly commitment: string
  /** RFC 3339. */
  readonly takenAt: string
}

/** A text that the key of an address has signed, by the standard of its network. */
export interface ReserveProof {
  readonly format: MessageFormat
  readonly message: string
  readonly signature: string
}

/** Nothing is signed for an address: the key is another, or keys of its kind sign no messages. */
export class ProofRefused extends Schema.TaggedError<ProofRefused>()("ProofRefused", {
  network: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.network}: the reserve is not proven: ${this.reason}`
  }
}

/** The document that the service is to sign as its own, by its digest. */
export interface DocumentToSign {
  readonly service: string
  readonly snapshotId: string
  /** SHA-256 of the whole document, in lower-case hexadecimal. */
  readonly digest: string
  /** RFC 3339. */
  readonly takenAt: string
}

/** A signature of ed25519 with the key that has made it, both in lower-case hexadecimal. */
export interface SignedDocument {
  readonly key: string
  readonly signature: string
}

/** Proves that keys in custody are there. It signs texts that it writes itself, in a form that is never a transaction's. */
export class ReserveProver extends Context.Service<
  ReserveProver,
  {
    readonly prove: (reserve: ReserveToProve) => Effect.Effect<ReserveProof, ProofRefused | VaultError | StorageError>
    /** Signs for a document with a key that signs nothing else: whoever has published one cannot say later that it was another. */
    readonly signDocument: (document: DocumentToSign) => Effect.Effect<SignedDocument, VaultError>
  }
>()("@bursar/core/port/ReserveProver") {}
