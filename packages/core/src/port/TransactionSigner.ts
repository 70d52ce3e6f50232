import { Context, type Effect, Schema } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Network } from "../money/Network.ts"
import type { SignatureEvidence } from "../signature/SignatureEvidence.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import type { StorageError } from "../engine/StorageError.ts"
import type { ReplayGuard, TransactionMoves } from "./ChainSender.ts"
import type { KeyRef, VaultError } from "./Vault.ts"

/** An address with the key of the vault that it is said to have. The signer derives it itself. */
export interface KeyedAddress {
  /** Canonical. */
  readonly address: string
  readonly key: KeyRef
}

/** A request that a partner signed, and when an operator approved it, where one did. */
export interface SigningRequest extends SignatureEvidence {
  /** An operator's word, given after its key was revoked, stands for the key; it never stands for the signature. */
  readonly approvedAt?: Timestamp
}

/** A transaction to be signed, with all that shows that it may be. */
export interface SignTransaction {
  readonly tenantId: TenantId
  readonly network: Network
  /** What the network's format reads; nothing else is believed of it. */
  readonly unsigned: Uint8Array
  /** The keys of the accounts that must sign. */
  readonly signers: ReadonlyArray<KeyedAddress>
  /** Addresses of the tenant's own keys that may be paid, or add trustlines, without anybody asking: change, a wallet, an address that needs coin. */
  readonly own: ReadonlyArray<KeyedAddress>
  /** The requests that partners signed, one for each payment to somebody else. */
  readonly requests: ReadonlyArray<SigningRequest>
  /**
   * The hashes of what is stored as signed for the same outbound transaction, and for those that expired before it and answered to the same
   * requests: where the signer has signed something else in its place, that got lost and comes first (`signed`). Nobody looks after that where absent.
   */
  readonly known?: ReadonlyArray<string>
  /** Until when it may be signed, by the signer's own clock: whoever asks has given it up after that. Any time where absent. */
  readonly until?: Timestamp
}

/** Why a transaction is not signed any more; undefined where it may be. Asked right before a signature is kept, and once more before it is given. */
export const tooLate = ({ until }: Pick<SignTransaction, "until">, now: Timestamp): string | undefined =>
  until === undefined || now <= until
    ? undefined
    : "the time to sign it is over: the request was on its way too long, or the clocks are apart"

/** Whose signatures are asked for: those that use up any of a replay guard, or answer to any of some requests. */
export interface SignaturesOf {
  readonly tenantId: TenantId
  readonly network: Network
  readonly guard: ReplayGuard
  readonly requests: ReadonlyArray<SigningRequest>
}

/** A transaction that was signed, and that may take effect. */
export interface EarlierSignature {
  readonly hash: string
  readonly raw: Uint8Array
  readonly validUntil: Timestamp | null
  /** The most that it can cost by its bytes; null where that is not known any more. */
  readonly feeMax: bigint | null
  /** What it moves by its bytes: another may use up just the same guard. Absent where that cannot be told. */
  readonly moves?: TransactionMoves
  /**
   * What it has in common with what was asked about. `same`: it uses up just the guard, and answers to just the requests. `requests`: it answers
   * to one of the requests, which it may have paid, beside others or under another guard. `guard`: it uses up a part of the guard, and answers to none.
   */
  readonly shares: "same" | "guard" | "requests"
  /** Whether what answers to one of the requests uses up a part of the guard as well. Absent where it does not. */
  readonly guardToo?: boolean
}

/**
 * A transaction that is not signed: it does what nobody with the right to it has asked for, or more than that. `retryAfterMs` says when to
 * ask again where time may mend it, as it does a limit per hour; where it is absent nothing mends it but a person's decision.
 */
export class SigningRefused extends Schema.TaggedError<SigningRefused>()("SigningRefused", {
  network: Schema.String,
  reason: Schema.String,
  retryAfterMs: Schema.optionalKey(Schema.Int)
}) {
  override get message(): string {
    return `${this.network}: the transaction is not signed: ${this.reason}`
  }
}

/**
 * Signs transactions with the keys of the vault. It reads the bytes itself, and signs them only where each payment goes to an
 * address of the tenant's own keys or is exactly what a request asks for that the tenant has signed, and where the network fee is
 * below the cap; and agreements to hold assets only of the tenant's own accounts, to assets of the currency table. Whoever brings
 * the transaction alone can then pay nobody.
 */
export class TransactionSigner extends Context.Service<
  TransactionSigner,
  {
    readonly sign: (
      transaction: SignTransaction
    ) => Effect.Effect<{ readonly hash: string; readonly raw: Uint8Array }, SigningRefused | VaultError | StorageError>
    /**
     * What it has signed and remembers, oldest first: bytes that got lost on the way are given again, and what may be on the chain is not
     * taken for unsigned. Empty where nothing is remembered.
     */
    readonly signed: (of: SignaturesOf) => Effect.Effect<ReadonlyArray<EarlierSignature>, VaultError | StorageError>
  }
>()("@bursar/core/port/TransactionSigner") {}
