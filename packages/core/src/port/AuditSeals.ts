import { Context, type Effect } from "effect"
import type { AuditSeal } from "../audit/AuditSeal.ts"
import type { StorageError } from "../engine/StorageError.ts"

/** The seals of the log of operators' actions. They are added and never changed; the storage refuses to. */
export class AuditSeals extends Context.Service<
  AuditSeals,
  {
    /** Stores a seal. One whose number is there already changes nothing. */
    readonly add: (seal: AuditSeal) => Effect.Effect<void, StorageError>
    /** The seals after a number, oldest first. */
    readonly after: (number: number, limit: number) => Effect.Effect<ReadonlyArray<AuditSeal>, StorageError>
    /** The newest seal; undefined where there is none. */
    readonly last: Effect.Effect<AuditSeal | undefined, StorageError>
  }
>()("@bursar/core/port/AuditSeals") {}
