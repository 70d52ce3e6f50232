import { Context, type Effect } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import type { StorageError } from "../engine/StorageError.ts"
import type { Network } from "../money/Network.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import type { ReplayGuard } from "./ChainSender.ts"

/** How far a tenant's records have come: counters that every commit moves forward, and none back. */
export interface TenantProgress {
  readonly changeSeq: bigint
  readonly eventId: bigint
  readonly postingSeq: bigint
}

/** A transaction that the database has as signed for a payout. */
export interface StoredSignature {
  readonly network: Network
  readonly hash: string
  readonly signedAt: Timestamp
}

/** A request of a partner for which the database has a signed transaction. */
export interface AnsweredRequest {
  readonly tenantId: TenantId
  readonly operationId: string
  /** The text that the partner signed. */
  readonly signatureBase: string
}

/** A transaction that the database has as signed for payouts, and that may still take effect. */
export interface OpenSignature extends StoredSignature {
  /** Its place among all open ones. */
  readonly key: string
  readonly tenantId: TenantId
  readonly raw: Uint8Array
  readonly validUntil: Timestamp | null
  readonly guard: ReplayGuard
  /** The account that pays. */
  readonly from: string
  /** The texts that partners signed, of the payouts that it makes. */
  readonly signatureBases: ReadonlyArray<string>
}

/** What the signer compares its own memory with: a database that was rolled back, or a memory that was lost, shows here. */
export class SigningView extends Context.Service<
  SigningView,
  {
    /** Undefined where there is no such tenant. */
    readonly progress: (tenantId: TenantId) => Effect.Effect<TenantProgress | undefined, StorageError>
    /** How far all tenants have come. */
    readonly progressOfAll: Effect.Effect<ReadonlyMap<TenantId, TenantProgress>, StorageError>
    /**
     * Has an effect read on one session whose server takes writes, and fails where it does not: a standby may be behind, so what it lacks proves
     * nothing. `progress` and `progressOfAll` go by themselves to such a server alone.
     */
    readonly onPrimary: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageError, R>
    /** The newest transactions that pay operations, of all tenants, newest first. */
    readonly newestSignatures: (limit: number) => Effect.Effect<ReadonlyArray<StoredSignature>, StorageError>
    /** The transactions that may still take effect, by their keys: those after one of them. */
    readonly openSignatures: (
      after: string | undefined,
      limit: number
    ) => Effect.Effect<ReadonlyArray<OpenSignature>, StorageError>
    /** The requests that were signed for, by the id of their operation: those after one of them. */
    readonly answeredRequests: (
      after: string | undefined,
      limit: number
    ) => Effect.Effect<ReadonlyArray<AnsweredRequest>, StorageError>
  }
>()("@bursar/core/port/SigningView") {}
