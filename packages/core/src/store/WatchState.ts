import { Context, type Effect } from "effect"
import type { Backfill } from "../address/DepositAddress.ts"
import type { Deposit } from "../deposit/Deposit.ts"
import type { Fence } from "../engine/fenced.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { KeyFamily, Network } from "../money/Network.ts"
import type { WalletTransfer } from "../deposit/WalletTransfer.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import type { BlockRef, NodeRecord } from "../port/Chain.ts"
import type { OneNodeCredit } from "../incoming/oneNodeAllowance.ts"
import type { Fenced } from "../port/Leadership.ts"
import type { StorageError } from "../engine/StorageError.ts"

/** A live address as a watcher finds it. */
export interface Owned {
  readonly tenantId: TenantId
  readonly addressId: string
  /** The network on which the tenant registered it; another than the one asked for where only a sibling is registered. */
  readonly network: Network
  readonly address: string
  /** It is the address of a wallet of the service, whose id `addressId` is: what arrives there is no deposit. */
  readonly wallet?: true
}

/** That an operator ended a job before it was read: its blocks from `nextBlock` on were not read for its addresses. */
export interface BackfillEnd {
  readonly by: string
  readonly reason: string
  readonly at: Timestamp
}

/** A job to read the past, with how far it has come. */
export interface BackfillJob extends Backfill {
  /** The next block to read, null until the job has started. */
  readonly nextBlock: number | null
  /** The last block to read: how far the watcher had come when the job started. */
  readonly lastBlock: number | null
  /** When it has its turn again; null where it was never put off. */
  readonly dueAt: Timestamp | null
  /** How often in a row it could not be read. */
  readonly failures: number
  /** Why it could not be read the last time, in words for an operator; null where it could. */
  readonly problem: string | null
  /** Null where no operator ended it. */
  readonly ended: BackfillEnd | null
}

/** How a network's watcher is doing, for operators and for confirmations shown to partners. */
export interface NetworkStatus {
  readonly network: Network
  /** How far the network has been read, null before the first block. */
  readonly cursor: BlockRef | null
  /** The newest block that the node has told of. */
  readonly latest: number | null
  /** What keeps it from being read, in words for an operator; null while it goes well. */
  readonly problem: string | null
  /** What an operator has to know though it goes well, such as what is not seen; null where there is nothing. */
  readonly notice: string | null
  /** How each node did lately, in order of preference; empty where nobody counts. */
  readonly nodes: ReadonlyArray<NodeRecord>
  readonly updatedAt: Timestamp
}

/** What a watcher says of how its network is doing. */
export type NetworkReport = Pick<NetworkStatus, "latest" | "nodes" | "notice" | "problem">

/**
 * What watchers remember: per network the cursor and the blocks that may still be replaced. Writes are refused
 * (`Fenced`) to a watcher that has been replaced. Deposits themselves are written through the Writer.
 */
export class WatchState extends Context.Service<
  WatchState,
  {
    /** The block up to which the network has been read; undefined before the first. */
    readonly cursor: (network: Network) => Effect.Effect<BlockRef | undefined, StorageError>
    /** The stored blocks of a network from `from` (inclusive) up, in ascending order. */
    readonly blocks: (network: Network, from: number) => Effect.Effect<ReadonlyArray<BlockRef>, StorageError>
    /** Appends a read block and moves the cursor onto it; forgets blocks below `keepFrom`. */
    readonly advance: (
      fence: Fence,
      network: Network,
      block: BlockRef,
      keepFrom: number
    ) => Effect.Effect<void, StorageError | Fenced>
    /** Moves the cursor back onto `to` and forgets the blocks above it. */
    readonly rewind: (fence: Fence, network: Network, to: BlockRef) => Effect.Effect<void, StorageError | Fenced>
    /** Reports how the network is doing. */
    readonly report: (fence: Fence, network: Network, said: NetworkReport) => Effect.Effect<void, StorageError | Fenced>
    readonly statuses: Effect.Effect<ReadonlyArray<NetworkStatus>, StorageError>
    /**
     * The live addresses among some, on the first of the networks or, where none is registered there, on one of its siblings, which
     * follow it (the earliest registered). Costs as much as there are addresses in the question, however many are watched.
     */
    readonly owners: (
      networks: ReadonlyArray<Network>,
      addresses: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Owned>, StorageError>
    /** Live addresses and wallets of some networks as `owners` finds them, each once, at most `limit`. */
    readonly watched: (
      networks: ReadonlyArray<Network>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Owned>, StorageError>
    /**
     * The deposits of a network, of any tenant and status, whose transactions are among some: a transfer that was recorded
     * stays with its tenant, whoever has its address by now, and one that was reorged may have been mined again.
     */
    readonly depositsAmong: (
      network: Network,
      txHashes: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Deposit>, StorageError>
    /** DETECTED deposits of a network in blocks up to `height`, oldest block first, at most `limit`. */
    readonly detectedUpTo: (
      network: Network,
      height: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Deposit>, StorageError>
    /** DETECTED deposits of a network that have no block yet. */
    readonly waiting: (network: Network) => Effect.Effect<ReadonlyArray<Deposit>, StorageError>
    /** DETECTED and CONFIRMED deposits of a network in blocks above `height`. */
    readonly depositsAbove: (network: Network, height: number) => Effect.Effect<ReadonlyArray<Deposit>, StorageError>
    /** Arrivals at wallets of a network, of any tenant and status, whose transactions are among some. */
    readonly walletTransfersAmong: (
      network: Network,
      txHashes: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<WalletTransfer>, StorageError>
    /** DETECTED arrivals at wallets of a network in blocks up to `height`, oldest block first, at most `limit`. */
    readonly walletTransfersUpTo: (
      network: Network,
      height: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<WalletTransfer>, StorageError>
    /** DETECTED and CONFIRMED arrivals at wallets of a network in blocks above `height`. */
    readonly walletTransfersAbove: (
      network: Network,
      height: number
    ) => Effect.Effect<ReadonlyArray<WalletTransfer>, StorageError>
    /** What was credited by the word of one node, in minutes from `minute` (inclusive) on. */
    readonly oneNodeCredits: (
      network: Network,
      minute: Timestamp
    ) => Effect.Effect<ReadonlyArray<OneNodeCredit>, StorageError>
    /** Adds to what was credited by the word of one node; forgets minutes before `keepFrom`. */
    readonly countOneNodeCredits: (
      fence: Fence,
      network: Network,
      credits: ReadonlyArray<OneNodeCredit>,
      keepFrom: Timestamp
    ) => Effect.Effect<void, StorageError | Fenced>
    /** When the first of the live addresses of a network was registered, undefined where there are none. */
    readonly firstRegistered: (network: Network) => Effect.Effect<Timestamp | undefined, StorageError>
    /**
     * Addresses of the networks of a family, live and retired, that are to be read now (`watch_now_until` not passed). A retired one
     * is not once its key is another tenant's: held by the service for that tenant, or proven later than by this one, if ever. Where
     * an address has several records, the live one stands last.
     */
    readonly watchedNow: (
      family: KeyFamily,
      networks: ReadonlyArray<Network>,
      now: Timestamp
    ) => Effect.Effect<ReadonlyArray<Owned>, StorageError>
    /** Backfills of a network that are neither finished nor ended, oldest first, those after another where one is given, at most `limit`. */
    readonly backfills: (
      network: Network,
      limit: number,
      after?: Pick<BackfillJob, "createdAt" | "id">
    ) => Effect.Effect<ReadonlyArray<BackfillJob>, StorageError>
    /** Whether a backfill of a network that is neither finished nor ended could not be read the last time, and stands before this block. */
    readonly isBackfillStuckAt: (network: Network, number: number) => Effect.Effect<boolean, StorageError>
    /** Backfills of a network that operators ended with blocks unread, the latest first, at most `limit`. */
    readonly endedBackfills: (
      network: Network,
      limit: number
    ) => Effect.Effect<ReadonlyArray<BackfillJob>, StorageError>
    /**
     * Ends a backfill for an operator that still stands at `nextBlock`. Undefined where there is none such: it was finished or ended, or
     * has gone on. A watcher that reads it at that moment may still read some blocks of it.
     */
    readonly endBackfill: (
      job: Pick<BackfillJob, "id" | "nextBlock" | "tenantId">,
      end: BackfillEnd
    ) => Effect.Effect<BackfillJob | undefined, StorageError>
    /** Backfills of a network that are neither finished nor ended nor put off beyond `now`, each tenant's in turn, those waiting longest first, at most `limit`. */
    readonly dueBackfills: (
      network: Network,
      now: Timestamp,
      limit: number
    ) => Effect.Effect<ReadonlyArray<BackfillJob>, StorageError>
    /** Puts a backfill off: behind the others, or after a failure for a while. */
    readonly putOffBackfill: (
      fence: Fence,
      job: BackfillJob,
      until: Pick<BackfillJob, "dueAt" | "failures" | "problem">
    ) => Effect.Effect<void, StorageError | Fenced>
    /** Stores how far a backfill has come; a job whose `nextBlock` is above its `lastBlock` is finished. */
    readonly backfillProgress: (
      fence: Fence,
      job: BackfillJob,
      nextBlock: number,
      lastBlock: number
    ) => Effect.Effect<void, StorageError | Fenced>
  }
>()("@bursar/core/port/WatchState") {}
