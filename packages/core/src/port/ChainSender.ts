import { type Effect, type Result, Schema } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Network } from "../money/Network.ts"
import type { BlockRef, ChainError, Memo } from "./Chain.ts"
import type { TransactionPlanner } from "./TransactionPlanner.ts"
import type { Outpoint, Utxo } from "./Utxo.ts"

/** What a transaction gives to somebody. */
export interface Payment {
  /** Canonical receiver. */
  readonly to: string
  /** The pinned contract or issuer of the asset, null for the native asset. */
  readonly contract: string | null
  readonly units: bigint
  /** On networks with memos; one memo per transaction. */
  readonly memo: Memo | null
}

/**
 * What a transaction uses up, so that no two that share it can both take effect: the nonce of an account (EVM), its
 * sequence number (stellar), unspent outputs (bitcoin). On tron nothing excludes a second transaction but the expiry of
 * the first.
 */
export type ReplayGuard =
  | { readonly _tag: "Sequence"; readonly account: string; readonly sequence: bigint }
  | { readonly _tag: "Utxos"; readonly utxos: ReadonlyArray<Utxo> }
  | { readonly _tag: "Expiry" }

/** A transaction to build. */
export interface SendOrder {
  /** The account that pays; on bitcoin the owner of the change. */
  readonly from: string
  readonly guard: ReplayGuard
  /** Several only on bitcoin. Empty is a transaction that does nothing but consume its replay guard. */
  readonly payments: ReadonlyArray<Payment>
  /** Where the network has expiry: the moment after which it can no longer be included. */
  readonly validUntil: Timestamp
  /** Differs for each order of the same payments, so that no two become the same transaction (tron). */
  readonly salt: number
  /**
   * Pays all that the account (or the UTXOs) can give: the one payment's `units` is what is known to be there, the network
   * fee is taken from it where it is the native asset.
   */
  readonly drain: boolean
  /** The signed transaction that this one is to replace under the same replay guard: it must bid more, by the network's rule. */
  readonly replacing: Uint8Array | null
  /**
   * Payments that the replaced transaction makes, where it makes several, and that this one leaves out on purpose. Every other one
   * of it must be among `payments`. None where absent; not looked at where `payments` is empty.
   */
  readonly leavesOut?: ReadonlyArray<Payment>
  /**
   * An operator asks for the replacement, so that it is made whatever others have made it cost, up to the cap (bitcoin). Not where absent: then one that
   * costs many times as much because of them is none.
   */
  readonly insists?: boolean
  /**
   * Assets that the account agrees to hold, each by its pinned issuer, without a limit of its own (stellar). Then nothing is paid:
   * `payments` is empty. None where absent.
   */
  readonly trustlines?: ReadonlyArray<string>
}

/** A transaction before its signatures. */
export interface UnsignedTransaction {
  /** What the network's format reads again: nothing else is needed to check and to sign it. */
  readonly bytes: Uint8Array
  /** The most that it can cost, in base units of the native asset. */
  readonly feeMax: bigint
  /** What is paid in the end: differs from the order where it drains. */
  readonly payments: ReadonlyArray<Payment>
  /** When it can no longer be included; null where it always can. */
  readonly validUntil: Timestamp | null
}

/** It cannot be built as it is. Nothing was signed, so nothing can happen. */
export class CannotBuild extends Schema.TaggedError<CannotBuild>()("CannotBuild", {
  network: Schema.String,
  /**
   * `insufficient_wallet`: try again when there is more. `fee_capped`: the network asks more than the cap of the
   * configuration; try again. `asset_blocked`: the asset's contract lets this wallet pay nobody (it is paused, or the wallet
   * is blocked), which says nothing of the receiver; a person has to look. `destination_invalid`: it would never get there.
   * `node_unreadable`: one node says that it cannot be built, and for long no other confirms it; try again.
   */
  reason: Schema.Literals([
    "insufficient_wallet",
    "fee_capped",
    "asset_blocked",
    "destination_invalid",
    "node_unreadable"
  ]),
  detail: Schema.String,
  /** What is missing, where it is known: so much of a contract's asset, or of the native asset (null). */
  missing: Schema.NullOr(Schema.Struct({ contract: Schema.NullOr(Schema.String), units: Schema.BigInt })),
  /** How long to leave it before it is tried again; absent where that is for the sender to say. */
  retryAfterMs: Schema.optionalKey(Schema.Int)
}) {
  override get message(): string {
    return `${this.network}: ${this.detail}`
  }
}

/** What a node said when it was given a transaction. It decides nothing: only the chain does. */
export type Broadcast =
  /** It has it: newly, or already. */
  | { readonly _tag: "Accepted" }
  /** It would not take it; another node, or a later moment, may. */
  | {
      readonly _tag: "Rejected"
      readonly reason: "fee_too_low" | "guard_used" | "expired" | "invalid" | "busy"
      readonly detail: string
    }
  /** No answer that can be relied on. */
  | { readonly _tag: "Unknown"; readonly detail: string }

/** A transaction of ours as it was stored before it was sent. */
export interface SignedAttempt {
  readonly hash: string
  readonly raw: Uint8Array
  readonly validUntil: Timestamp | null
}

/** The replay guard that is asked about, and who has it. */
export interface StatusOrder extends Pick<SendOrder, "from" | "guard"> {
  /**
   * Signed transactions of ours that make outputs of the guard, and those that make what these spend (bitcoin): where one of them can never take
   * effect, neither can what spends it. Absent where such an output is not missed.
   */
  readonly madeBy?: ReadonlyArray<SignedAttempt>
  /**
   * The lowest block of those that made the outputs of the guard (bitcoin): what has spent one stands there or above, however far down, and is looked for
   * a part at a time, each further down than the one before. Absent where that is not known: then only the newest blocks are looked through.
   */
  readonly madeSince?: number
}

/** What became of the transactions that share a replay guard, by what the chain itself says. */
export type TransactionStatus =
  /** None is in a block, each may still come into one. */
  | { readonly _tag: "Pending"; readonly known: boolean }
  /** One is in a block that may still be replaced. */
  | { readonly _tag: "Included"; readonly hash: string; readonly blockNumber: number }
  /** One is final. `effect` says whether it did what it was for. */
  | {
      readonly _tag: "Final"
      readonly hash: string
      readonly blockNumber: number
      readonly blockTime: Timestamp
      /** What we paid for it, in base units of the native asset. */
      readonly fee: bigint
      /** `missing`: it succeeded by its status, yet the payment is not there; nothing may be concluded without a person. */
      readonly effect: "done" | "reverted" | "missing"
    }
  /** It is proven that none of them can ever take effect (the table of proofs in the chain rules). */
  | {
      readonly _tag: "Invalidated"
      readonly reason: "replaced_on_chain" | "expired_unsent"
      /** The foreign transaction that took the replay guard, one of them where several did; null where there is none, or nodes name different ones. */
      readonly by: string | null
      readonly detail: string
      /**
       * On bitcoin, `replaced_on_chain`: the UTXOs of the replay guard of which it is proven that no transaction of ours can spend them any more. There may
       * be more: what has spent the others was not looked for, or may yet leave the chain. All of them where absent.
       */
      readonly spent?: ReadonlyArray<Outpoint>
    }

/** What a payment would cost, and what is known of its receiver. */
export interface FeeEstimate {
  /** Base units of the native asset; null where it cannot be told. */
  readonly fee: bigint | null
  /** Whether the receiver already holds the asset (a token balance, a trustline); null where unknown or without meaning. */
  readonly recipientHoldsAsset: boolean | null
  /** The dearer case was taken, because it could not be told which one it is. */
  readonly assumedWorstCase: boolean
}

/** Whether a receiver can take a payment, as the chain stands now. */
export type Preflight =
  | { readonly _tag: "Payable" }
  | {
      readonly _tag: "Unpayable"
      readonly code: "address_invalid" | "memo_required" | "memo_invalid" | "below_minimum"
      readonly message: string
      /** With `below_minimum`: the least that the receiver takes, in base units of the asset, where that is known. */
      readonly minimum?: bigint
    }

/** A payment that somebody says was made. */
export interface Claimed {
  /** As its network writes it (`canonicalHash`): what is written otherwise is denied. */
  readonly txHash: string
  readonly contract: string | null
  readonly units: bigint
  /** Canonical receiver. */
  readonly to: string
  /** Canonical senders that are accepted; any where empty. An account stands for every part of it (a muxed address, on stellar). */
  readonly senders: ReadonlyArray<string>
  /** With its type in front (`text:id:42`) only the memo of that type; else any with this value. */
  readonly memo: string | null
}

/**
 * What the chain says of a claimed payment. Only `PROVEN` is grounds to act. `UNREADABLE` says nothing either way; nor does `NOT_FINAL`, but that
 * an answer will come: the transaction is in a block, which may still be replaced. `NOT_PROVEN` is a denial, and only of what can never be proven.
 */
export type Proof =
  | {
      readonly verdict: "PROVEN"
      readonly detail: string
      /**
       * What the accepted senders paid the network for the whole transaction, in base units of the native asset. 0 where somebody else
       * paid it; null where no senders are named, or the node cannot tell.
       */
      readonly fee: bigint | null
      /** The hash under which it was signed, where the claimed one is that of a transaction which only bids for it (stellar). */
      readonly innerHash?: string
    }
  | { readonly verdict: "NOT_PROVEN"; readonly reason: string }
  | { readonly verdict: "NOT_FINAL"; readonly reason: string }
  | { readonly verdict: "UNREADABLE"; readonly reason: string }

/** One network, written to through a node. Nothing here holds a key, and nothing here decides. */
export interface ChainSender {
  readonly network: Network
  /** How long a new transaction is to stay valid, in milliseconds. Without meaning where `build` gives no `validUntil`. */
  readonly validityMs: number
  /** After how long without a block the same bytes are sent again to a node that knows them, in milliseconds. */
  readonly rebroadcastAfterMs: number
  /** After how long without a block a higher-fee replacement is worth it, in milliseconds; null where there is none. */
  readonly replaceAfterMs: number | null
  /** How many payments fit into one transaction. 1 but on bitcoin. */
  readonly paymentsMax: number
  /**
   * What an account's own counter starts with: the number of its transactions in the newest block (EVM; never the pending
   * ones), or its sequence number plus one (stellar). Null where the network has no such counter, or no such account yet.
   */
  readonly firstSequence: (account: string) => Effect.Effect<bigint | null, ChainError>
  /**
   * What an address holds in the newest block, in base units; on tron in the newest that cannot be replaced. What waits for a block is
   * never counted.
   */
  readonly balance: (address: string, contract: string | null) => Effect.Effect<bigint, ChainError>
  /** What its transactions use up, and what fits into one. */
  readonly planner: TransactionPlanner
  readonly build: (order: SendOrder) => Effect.Effect<UnsignedTransaction, ChainError | CannotBuild>
  /** Gives the node these very bytes. Never fails: what it cannot tell is `Unknown`. */
  readonly broadcast: (raw: Uint8Array) => Effect.Effect<Broadcast>
  /** All transactions that were ever signed under one replay guard of an order. */
  readonly status: (
    order: StatusOrder,
    transactions: ReadonlyArray<SignedAttempt>
  ) => Effect.Effect<TransactionStatus, ChainError>
  /**
   * As `status`, by a node whose chain has this block, so that what is in no block there is in none up to it. Present where one of several nodes
   * answers, which may be behind the one that told of the block.
   */
  readonly statusSince?: (
    block: Pick<BlockRef, "hash" | "number">,
    ...asked: Parameters<ChainSender["status"]>
  ) => Effect.Effect<TransactionStatus, ChainError>
  /** What such a payment would cost now; `from` and `to` may be unknown. Never fails: what cannot be told is null. */
  readonly estimate: (payment: {
    readonly from: string | null
    readonly to: string | null
    readonly contract: string | null
    readonly units: bigint
  }) => Effect.Effect<FeeEstimate>
  readonly preflight: (payment: Payment) => Effect.Effect<Preflight, ChainError>
  /** Checks a claimed payment at finality: asset, amount, receiver, senders, memo. Never fails. */
  readonly prove: (claimed: Claimed) => Effect.Effect<Proof>
}

/** What an unsigned transaction does, read from its bytes alone. */
export interface TransactionContent {
  /** All that it gives, change included. */
  readonly payments: ReadonlyArray<Payment>
  /**
   * The most that it can cost by its bytes, in base units of the native asset. Not in it is what a rollup charges for
   * posting to another network (base), which `UnsignedTransaction.feeMax` allows for.
   */
  readonly feeMax: bigint
  /** What is to be signed, each with the canonical address whose key must sign it, in the order of `finish`. */
  readonly digests: ReadonlyArray<{ readonly address: string; readonly digest: Uint8Array }>
  /** What it uses up. */
  readonly guard: ReplayGuard
  /** When it can no longer be included; null where it always can. */
  readonly validUntil: Timestamp | null
  /** What accounts agree to hold by it, without a limit of their own; nothing where absent. No value moves by that. */
  readonly trustlines?: ReadonlyArray<Trustline>
}

/** An asset that an account agrees to hold. */
export interface Trustline {
  /** Canonical. */
  readonly account: string
  /** The pinned issuer of the asset. */
  readonly contract: string
}

/** A signature with the public key that made it. */
export interface TransactionSignature {
  readonly publicKey: Uint8Array
  /** secp256k1: `r` then `s` (the lower one); ed25519: 64 bytes. */
  readonly bytes: Uint8Array
  /** 0 to 3; null with ed25519. */
  readonly recovery: number | null
}

/** What a transaction gives to whom, and what accounts agree to hold by it. */
export type TransactionMoves = Pick<TransactionContent, "payments" | "trustlines">

/** How the transactions of a network are written. Pure: the vault reads with it what it is asked to sign. */
export interface TransactionFormat {
  readonly network: Network
  /** Reads an unsigned transaction; says in words why it will not. What it does not fully understand it refuses. */
  readonly read: (unsigned: Uint8Array) => Result.Result<TransactionContent, string>
  /** Reads what a transaction moves from the signed bytes that `finish` gives, as `read` does from those before. */
  readonly readSigned: (raw: Uint8Array) => Result.Result<TransactionMoves, string>
  /** Joins signatures, in the order of the digests, to what is broadcast, with the hash by which the network knows it. */
  readonly finish: (
    unsigned: Uint8Array,
    signatures: ReadonlyArray<TransactionSignature>
  ) => Result.Result<{ readonly hash: string; readonly raw: Uint8Array }, string>
}
