import { Context, type Effect, type Stream } from "effect"
import type { Environment } from "../base/Environment.ts"
import type { StorageError } from "../engine/StorageError.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Network } from "../money/Network.ts"
import type { OwedToTenant } from "./OwedToTenant.ts"
import type { SweepKey } from "../sweep/SweepableDeposit.ts"
import type { TenantId } from "../tenant/Tenant.ts"

/** A tenant's leaf in the tree of a currency, with what it is made of. */
export interface SolvencyLeaf extends Omit<OwedToTenant, "unattributed"> {
  readonly units: bigint
  readonly index: number
  /** 32 bytes as lower-case hexadecimal. */
  readonly salt: string
}

/** A node of the tree of a currency; leaves are at level 0. */
export interface SolvencyNode {
  readonly currency: string
  readonly level: number
  readonly index: number
  /** 32 bytes as lower-case hexadecimal. */
  readonly hash: string
  readonly units: bigint
}

/** Where a node is. */
export type SolvencyPlace = Pick<SolvencyNode, "currency" | "index" | "level">

/** A snapshot that was taken. */
export interface StoredSnapshot {
  readonly id: string
  readonly environment: Environment
  readonly takenAt: Timestamp
  readonly takenBy: string
  /** The public document, as JSON. */
  readonly document: string
  /** Null until it is published. */
  readonly published: { readonly at: Timestamp; readonly by: string } | null
}

/** An address on which deposits stand that are not swept, with its key. */
export interface UnsweptAddress {
  readonly network: Network
  readonly address: string
  readonly key: SweepKey
}

/** What proofs of solvency are made of and what they leave. Snapshots, leaves and nodes are written once and never changed. */
export class SolvencyStore extends Context.Service<
  SolvencyStore,
  {
    /**
     * What every tenant of an environment is owed, as of one moment: by currency, and within one in an order that follows from the key
     * and the tenant, and tells nobody without the key anything. Tenants that are owed nothing in a currency, and have received nothing in it that is attributed to nobody, are left out. In bounded memory.
     */
    readonly owed: (of: {
      readonly environment: Environment
      readonly orderKey: string
    }) => Stream.Stream<OwedToTenant, StorageError>
    /**
     * The addresses of a tenant whose keys the service holds and on which deposits wait to be swept, or have a sweep that is open: nobody
     * knows how far that has come at the block that is read. Each once.
     */
    readonly unswept: (tenantId: TenantId) => Effect.Effect<ReadonlyArray<UnsweptAddress>, StorageError>
    /** Adds leaves and nodes to a snapshot that is being taken. Nobody sees them until it is added itself. */
    readonly addNodes: (
      snapshotId: string,
      part: { readonly leaves: ReadonlyArray<SolvencyLeaf>; readonly nodes: ReadonlyArray<SolvencyNode> }
    ) => Effect.Effect<void, StorageError>
    readonly add: (snapshot: Omit<StoredSnapshot, "published">) => Effect.Effect<void, StorageError>
    /** Shows a snapshot to partners. One that is published stays as it was. Undefined where there is none. */
    readonly publish: (
      id: string,
      published: NonNullable<StoredSnapshot["published"]>
    ) => Effect.Effect<StoredSnapshot | undefined, StorageError>
    readonly byId: (id: string) => Effect.Effect<StoredSnapshot | undefined, StorageError>
    /** The snapshot of an environment that was published last, by when it was taken. */
    readonly latestPublished: (environment: Environment) => Effect.Effect<StoredSnapshot | undefined, StorageError>
    /** Newest first, at most `limit`. */
    readonly list: (limit: number) => Effect.Effect<ReadonlyArray<StoredSnapshot>, StorageError>
    /** The leaves of one tenant in a snapshot, by currency. */
    readonly leavesOf: (tenantId: TenantId, id: string) => Effect.Effect<ReadonlyArray<SolvencyLeaf>, StorageError>
    /** Those of some places of a snapshot's trees that have a node. */
    readonly nodesAt: (
      id: string,
      places: ReadonlyArray<SolvencyPlace>
    ) => Effect.Effect<ReadonlyArray<SolvencyNode>, StorageError>
    /** Every leaf of a snapshot, by currency and place. In bounded memory. */
    readonly leaves: (id: string) => Stream.Stream<SolvencyLeaf, StorageError>
  }
>()("@bursar/core/solvency/SolvencyStore") {}
