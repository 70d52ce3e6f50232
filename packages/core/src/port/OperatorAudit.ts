import { Context, type Effect } from "effect"
import type { AuditRecord, OperatorAction } from "../audit/AuditRecord.ts"
import type { StorageError } from "../engine/StorageError.ts"

/**
 * What operators did, of all tenants, as a chain: each record holds the hash of the one before (`chained`). Records are added and
 * never changed; the storage refuses to.
 */
export class OperatorAudit extends Context.Service<
  OperatorAudit,
  {
    /** Adds a link. Those that come at the same time, from whatever process, follow one on another. */
    readonly append: (action: OperatorAction) => Effect.Effect<AuditRecord, StorageError>
    /** The links after an id, oldest first. */
    readonly after: (id: number, limit: number) => Effect.Effect<ReadonlyArray<AuditRecord>, StorageError>
    /** The links before an id, or the last ones, newest first; of one operator where it is named. */
    readonly before: (
      id: number | undefined,
      limit: number,
      operator?: string
    ) => Effect.Effect<ReadonlyArray<AuditRecord>, StorageError>
  }
>()("@bursar/core/port/OperatorAudit") {}
