import { Context, type Effect } from "effect"
import type { Fence } from "../engine/fenced.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Network } from "../money/Network.ts"
import type { BlockRef, Gain } from "./Chain.ts"
import type { Fenced } from "./Leadership.ts"
import type { StorageError } from "../engine/StorageError.ts"

/** What an address may have gained by what is in quarantine. */
export interface QuarantinedGain extends Gain {
  /** What had been read of the same asset to the same address by then; absent where nothing had. */
  readonly alreadyRead?: bigint
}

/** A transaction, or a whole block, that the watcher has passed without reading all of it. */
export interface Quarantined {
  readonly network: Network
  readonly block: Pick<BlockRef, "hash" | "number" | "time">
  /** Null where the whole block was passed. */
  readonly txHash: string | null
  /** Why it could not be read, in words for an operator. */
  readonly reason: string
  /** What watched addresses and wallets may have gained by it; null where nothing tells. */
  readonly gains: ReadonlyArray<QuarantinedGain> | null
  readonly noticedAt: Timestamp
}

/**
 * How a quarantined transaction came out of it: `read` again in full, `passed` by an operator, or `gone` from the chain with its
 * block.
 */
export type QuarantineOutcome = "read" | "passed" | "gone"

/** How it ended, and by whose word; the watcher's own where an operator had no part in it. */
export interface QuarantineEnd {
  readonly outcome: QuarantineOutcome
  readonly by: string
  readonly reason: string | null
  readonly at: Timestamp
}

/** A quarantined transaction with its end, null while it is open. */
export interface QuarantineEntry extends Quarantined {
  readonly end: QuarantineEnd | null
}

/** The place of an entry in the list of all: the newest first. */
export interface QuarantinePlace extends Pick<Quarantined, "network" | "noticedAt" | "txHash"> {
  readonly block: Pick<BlockRef, "hash" | "number">
}

/** What an operator told the watcher to do with a block by its number: step over it without reading it, or read it again. */
export interface BlockOrder {
  readonly network: Network
  readonly number: number
  readonly kind: "PASS" | "REREAD"
  readonly by: string
  readonly reason: string | null
  readonly at: Timestamp
}

/**
 * What watchers could not read, so that no block stops a network and nothing is forgotten. Entries are kept for good. Writes of
 * watchers are refused (`Fenced`) to one that has been replaced.
 */
export class Quarantine extends Context.Service<
  Quarantine,
  {
    /**
     * Adds entries. One that is there already (network, block hash, transaction) changes nothing where it is open or was `passed` by an
     * operator; where the watcher itself had ended it, it is open again: a block that was replaced can come back.
     */
    readonly add: (fence: Fence, entries: ReadonlyArray<Quarantined>) => Effect.Effect<void, StorageError | Fenced>
    /** How many entries of a network are open. */
    readonly openCount: (network: Network) => Effect.Effect<number, StorageError>
    /** Entries, newest first, at most `limit`, those behind a place where one is given; those that are open alone where `open` is true. */
    readonly list: (filter: {
      readonly network: Network | null
      readonly open: boolean
      readonly after?: QuarantinePlace | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<QuarantineEntry>, StorageError>
    /** The open entries of a network in blocks from a number up, oldest first. */
    readonly openFrom: (network: Network, number: number) => Effect.Effect<ReadonlyArray<Quarantined>, StorageError>
    /** The open entries of a network in one block. */
    readonly openIn: (network: Network, blockHash: string) => Effect.Effect<ReadonlyArray<Quarantined>, StorageError>
    /**
     * The blocks of a network from a number up that were passed whole and have not been read since, lowest first: their entry is open, or an
     * operator ended it as `passed`.
     */
    readonly passedWhole: (
      network: Network,
      number: number
    ) => Effect.Effect<ReadonlyArray<Quarantined["block"]>, StorageError>
    /**
     * Ends open entries of a block, all of them or that of one transaction; as `read` also that of the whole block which an operator ended as
     * `passed`. Returns how many.
     */
    readonly end: (
      which: { readonly network: Network; readonly blockHash: string; readonly txHash: string | "all" },
      end: QuarantineEnd
    ) => Effect.Effect<number, StorageError>
    /** Stores an order. A block has one order at most: a later one takes the place of an earlier one. */
    readonly order: (order: BlockOrder) => Effect.Effect<void, StorageError>
    /** The orders of a network that are not carried out yet, lowest block first. */
    readonly orders: (network: Network) => Effect.Effect<ReadonlyArray<BlockOrder>, StorageError>
    /** Takes back an order of a kind for an operator. False where there is none: it was carried out, taken back, or replaced by another. */
    readonly withdraw: (order: Pick<BlockOrder, "kind" | "network" | "number">) => Effect.Effect<boolean, StorageError>
    /** Takes back an order that was carried out. One that has taken its place meanwhile stays. */
    readonly carriedOut: (
      fence: Fence,
      order: Pick<BlockOrder, "at" | "kind" | "network" | "number">
    ) => Effect.Effect<void, StorageError | Fenced>
  }
>()("@bursar/core/port/Quarantine") {}
