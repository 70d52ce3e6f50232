import { type Effect, Schema } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Network } from "../money/Network.ts"

/** A block by number and hash. */
export interface BlockRef {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  readonly time: Timestamp
}

/**
 * What a sender wrote for the receiver on a network that has memos, its type being part of it: the id 1 is not the text "1".
 * `value` is the text, the id in decimal, or the 32 bytes of a hash in lower-case hexadecimal. In a text that was read from a network, U+FFFD
 * stands for what is no text or cannot be stored, such as a NUL.
 */
export interface Memo {
  readonly type: "text" | "id" | "hash" | "return"
  readonly value: string
}

/** A movement of an asset that the service knows, verified to have taken effect. */
export interface Transfer {
  readonly txHash: string
  /**
   * The hash under which the transaction was signed, where somebody has wrapped it in one of their own that bids for it, as anybody may on
   * stellar: `txHash` is that of theirs then. Proven by what was signed; absent where nobody has.
   */
  readonly innerHash?: string
  /** Its place in the transaction, stable when the transaction is mined again in another block. */
  readonly transferIndex: number
  /** The pinned contract of the asset, null for the native asset. */
  readonly contract: string | null
  readonly units: bigint
  /**
   * Canonical sender: who has less of the asset by it. Null where there is none (a mint), where the payer paid in another asset, or where
   * it cannot be told.
   */
  readonly from: string | null
  /** Canonical receiver; the muxed form where the sender used one, which then says more than a memo. */
  readonly to: string
  /** The memo of the transaction; null where there is none, absent on networks without memos. */
  readonly memo?: Memo | null
}

/** What an address may have gained by a transaction, beyond what was read of it. */
export interface Gain {
  readonly to: string
  /** The pinned contract of the asset, null for the native asset. */
  readonly contract: string | null
  readonly units: bigint
  /** `block` where balances before and after the whole block tell it, so that any transaction of the block may have brought it. */
  readonly across?: "block"
}

/** By how much what an address holds of an asset changed from a block's parent to the block. */
export interface BalanceChange {
  readonly address: string
  /** The pinned contract of the asset, null for the native asset. */
  readonly contract: string | null
  /** Below zero where it holds less. */
  readonly units: bigint
}

/** What an address holds of an asset, in base units. */
export interface Holding {
  readonly address: string
  /** The pinned contract of the asset, null for the native asset. */
  readonly contract: string | null
  readonly units: bigint
}

/** What addresses hold as of one block: everything that its transactions and those before it did, and nothing later. */
export interface Holdings {
  readonly block: BlockRef
  /** Each address that was asked for, with the native asset and each pinned one, those that it has none of included. */
  readonly held: ReadonlyArray<Holding>
}

/** A transaction of a block that could not be read whole: of a new kind, or made so that it cannot be. */
export interface UnreadTransaction {
  readonly txHash: string
  /** As in {@link Transfer}, where what was signed can be read. */
  readonly innerHash?: string
  /** Why, in words for an operator. */
  readonly reason: string
  /** What it may have moved beyond the transfers that were read, as balances tell; null where nothing tells. */
  readonly gains: ReadonlyArray<Gain> | null
  /** The addresses that it names and may have paid; absent where the reader does not look for them. */
  readonly names?: ReadonlyArray<string>
}

/**
 * A verified block: every transfer of known assets is in it, but for those of the transactions that it names as `unread`. What
 * contradicts itself is not returned at all.
 */
export interface Block extends BlockRef {
  readonly transfers: ReadonlyArray<Transfer>
  /** Absent where every transaction was read. */
  readonly unread?: ReadonlyArray<UnreadTransaction>
  /** As in `Tip`, where reading this block showed it. */
  readonly unseen?: string
  /**
   * The node keeps the state after this block no more, so it cannot tell the coin that contracts sent in it; a node that keeps it can. The rest is here,
   * and one of the `unread`, under the hash of the block, says so.
   */
  readonly isStateGone?: true
}

/** Where a node stands. */
export interface Tip {
  readonly latest: BlockRef
  /** The highest block at which a deposit counts: by the network's finality, or by depth. -1 where there is none yet. */
  readonly confirmed: number
  /** Why nothing can be confirmed at the moment, in words for an operator; absent where it can. */
  readonly unconfirmable?: string
  /** What of the network is not seen with this node and configuration, in words for an operator; absent where all is. */
  readonly unseen?: string
  /** Which of several nodes is asked and what is wrong with the others, in words for an operator; absent where all is well. */
  readonly nodes?: string
}

/** The node could not be asked, or what it said cannot be true. Nothing may be concluded from it; ask again. */
export class ChainError extends Schema.TaggedError<ChainError>()("ChainError", {
  network: Schema.String,
  /**
   * `unreachable`: no answer; `inconsistent`: an answer that contradicts itself; `absent`: it does not know the block, or keep it; `other_chain`: it
   * says of itself that it is of another chain.
   */
  reason: Schema.Literals(["unreachable", "inconsistent", "absent", "other_chain"]),
  doing: Schema.String,
  detail: Schema.String,
  /** False where the node was not even asked, as it wants to be left alone; absent else. */
  wasAsked: Schema.optionalKey(Schema.Literal(false))
}) {
  override get message(): string {
    return `${this.network}: ${this.doing}: ${this.detail}`
  }
}

/** What changed among the transactions that wait for a block. */
export interface MempoolChanges {
  /** What the transactions pay that were not seen before. */
  readonly transfers: ReadonlyArray<Transfer>
  /** Transactions seen before that wait no more: mined, replaced or evicted. Which of these, only the chain can tell. */
  readonly gone: ReadonlyArray<string>
  /** How many transactions not seen before are left for the next calls. */
  readonly unread: number
}

/** A reader of the transactions that wait for a block, which remembers what it has seen. Nothing that waits is certain. */
export interface Mempool {
  /** What is new since the last call that succeeded; the first call begins with all that waits. */
  readonly changes: Effect.Effect<MempoolChanges, ChainError>
}

/** What one node says of a block, asked about it by its number and hash. */
export interface NodeOpinion {
  /** Its name among the nodes of the network, for operators. */
  readonly node: string
  /** Who runs it. */
  readonly operator: string
  readonly says:
    /**
     * It has that very block; its own copy of it can be read. `isFinal`: the block is so deep there that its deposits count. `unseen`: as
     * in `Tip`, what may be missing from its copy.
     */
    | {
        readonly _tag: "Same"
        readonly isFinal: boolean
        readonly block: Effect.Effect<Block, ChainError>
        readonly unseen?: string
      }
    /** It has another block at that height. */
    | { readonly _tag: "Other"; readonly isFinal: boolean; readonly hash: string }
    /** It does not answer, or is not there yet. */
    | { readonly _tag: "Silent"; readonly detail: string }
}

/** The nodes of several operators of one network, each asked by itself, so that what one says can be compared. */
export interface SeveralOperators {
  /** What a node of each operator says of a block: one opinion per operator. Never fails; a node that takes too long is silent. */
  readonly opinions: (block: Pick<BlockRef, "hash" | "number">) => Effect.Effect<ReadonlyArray<NodeOpinion>>
  /** Uses the node that is asked now no more until it has this block again, which another has, as long as there is another. */
  readonly distrust: (block: Pick<BlockRef, "hash" | "number">) => Effect.Effect<void>
}

/** How a node did in the last hour, for operators. Nothing is decided by it. */
export interface NodeRecord {
  /** Its name among the nodes of the network. */
  readonly node: string
  /** Who runs it; null where nobody is named. */
  readonly operator: string | null
  /** Whether it is the one that is asked first now. */
  readonly isAsked: boolean
  /** How many questions it was asked. */
  readonly calls: number
  /** To how many of them it gave no answer, or one that cannot be true. That it does not know a block is an answer. */
  readonly failed: number
  /** Its newest failure, in words; null where it had none in this hour. */
  readonly problem: string | null
  readonly problemAt: Timestamp | null
}

/**
 * How far a block's timestamp may lie before the moment at which transactions could still enter it, where a reader does not say: a slot of
 * Ethereum, and the second that all round down to.
 */
export const blockTimeSlackMsDefault = 15_000

/** One network, read through a node. Every answer is checked against itself; what does not add up is a ChainError. */
export interface ChainReader {
  readonly network: Network
  /** Shown to partners as `required_confirmations`. */
  readonly requiredConfirmations: number
  /** How many blocks below its tip the network might still replace, and so must be remembered. */
  readonly reorgDepthMax: number
  /** How long to wait before asking for a new block again. */
  readonly pollIntervalMs: number
  /**
   * How far a block's timestamp may lie before the moment at which transactions could still enter it, in milliseconds.
   * Default `blockTimeSlackMsDefault`.
   */
  readonly blockTimeSlackMs?: number
  /**
   * The range in which an earlier version of this reader numbered transfers of the native asset that it now numbers
   * from `from` on. What was recorded under such a number keeps it.
   */
  readonly renumbered?: { readonly former: { readonly first: number; readonly last: number }; readonly from: number }
  /** Present where nodes of two operators at least are configured. */
  readonly several?: SeveralOperators
  /** How each node did lately, in order of preference; absent where nobody counts. */
  readonly nodes?: Effect.Effect<ReadonlyArray<NodeRecord>>
  /** Opens a reader of what waits, with nothing seen yet, where deposits are to be detected before they are mined. */
  readonly mempool?: () => Mempool
  readonly tip: Effect.Effect<Tip, ChainError>
  /** The header at a height; `absent` where the node has none there. */
  readonly header: (number: number) => Effect.Effect<BlockRef, ChainError>
  /** The complete block of a hash, read by that hash alone. */
  readonly block: (hash: string) => Effect.Effect<Block, ChainError>
  /** The lowest block whose time is not before `time`; the latest block where all are. `absent` where the node may not keep it. */
  readonly blockAt: (time: Timestamp) => Effect.Effect<BlockRef, ChainError>
  /** About how many addresses one call of `holdings` may ask. */
  readonly holdingsMax: number
  /**
   * What addresses hold as of one block, which is in the node's chain: of `at` where it is given and the network's nodes tell of the
   * past, else of the newest block that they tell of. An address that the chain has never seen holds nothing;
   * one that is named twice is told of once.
   */
  readonly holdings: (addresses: ReadonlyArray<string>, at?: BlockRef) => Effect.Effect<Holdings, ChainError>
  /**
   * How the balances of some addresses changed in a block, without those that did not. It costs calls for each address; absent where
   * nodes of the network do not tell balances of the past.
   */
  readonly balanceChanges?: (
    block: BlockRef,
    addresses: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<BalanceChange>, ChainError>
}
