import { Context, type Effect } from "effect"
import type { Environment } from "../base/Environment.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { AssetAccount } from "../ledger/Account.ts"
import type { StorageError } from "../engine/StorageError.ts"
import type { UnreadableRow } from "../engine/UnreadableRow.ts"
import type { Network } from "../money/Network.ts"
import type { Operation } from "../operation/Operation.ts"
import type { BlockRef } from "../port/Chain.ts"
import type { BookedLine } from "./candidates.ts"
import type { ChainState } from "./chainMovements.ts"

/** An address whose key the service holds, with the place that its coins are booked at. */
export interface HeldAddress {
  readonly address: string
  readonly place: "payouts" | "deposits"
}

/** What the books say of an account of a place, over all tenants of an environment. What left it without having stood there is taken off. */
export interface PlaceBalance {
  readonly account: AssetAccount
  readonly currency: string
  readonly units: bigint
}

/**
 * The books of a network, and what is known of it beyond them, as of one moment. What cannot be read, for somebody has changed its row, explains nothing:
 * what it would explain is missing.
 */
export interface ChainPositions extends ChainState {
  /** Up to which block the network has been read; undefined before the first. */
  readonly cursor: BlockRef | undefined
  readonly balances: ReadonlyArray<PlaceBalance>
  readonly unreadable: ReadonlyArray<UnreadableRow>
}

/** The books of an account at a provider, and the orders that are with it, as of one moment. One that cannot be read explains nothing, as on a network. */
export interface ProviderPositions {
  readonly balances: ReadonlyArray<PlaceBalance>
  readonly operations: ReadonlyArray<Operation>
  readonly unreadable: ReadonlyArray<UnreadableRow>
}

/** Where the value of all tenants stands by the books. Each answer is of one moment: what is committed meanwhile is not in it. */
export class Positions extends Context.Service<
  Positions,
  {
    /**
     * The addresses on which the service holds coins of a network: its wallets there and the addresses that it has issued or taken over,
     * live and retired, on the network and its siblings. By address in ascending order, each once, after `after`, at most `limit`.
     */
    readonly addresses: (
      networks: ReadonlyArray<Network>,
      after: string | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<HeldAddress>, StorageError>
    /**
     * What is not in the books and in the blocks up to `above` alike: deposits and transfers in later blocks or not booked, and
     * transactions that are not final or are in later blocks.
     */
    readonly chain: (network: Network, above: number) => Effect.Effect<ChainPositions, StorageError>
    /**
     * How much of an asset of a network whoever handed over keys may have moved from their addresses with copies of them: deposits that were not
     * swept, confirmed or not, credited or not, what sweeps have left behind, and coin that was given for fees and is not known to be spent on
     * these. It is never less, and may be more.
     */
    readonly movable: (asset: {
      readonly network: Network
      readonly currency: string
      /** Whether fees are paid in it. */
      readonly isNative: boolean
    }) => Effect.Effect<bigint, StorageError>
    /** The orders with a provider that are not over, or ended at `since` or later. */
    readonly provider: (query: {
      readonly account: "custodian" | "bank"
      readonly provider: string
      readonly environment: Environment
      readonly since: Timestamp
    }) => Effect.Effect<ProviderPositions, StorageError>
    /** The lines of an account of an amount, whatever tenant's, the nearest in time to a moment, at most `limit`. */
    readonly lines: (query: {
      readonly account: AssetAccount
      readonly currency: string
      readonly units: bigint
      readonly around: Timestamp
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<BookedLine>, StorageError>
  }
>()("@bursar/core/reconciliation/Positions") {}
