import { Cause, Effect, Schema } from "effect"

/** The storage could not do it: nothing of the call was written, and trying again is safe. */
export class StorageError extends Schema.TaggedError<StorageError>()("StorageError", {
  /** What was tried. */
  doing: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `storage failed: ${this.doing}`
  }
}

/** Logs a failure of the storage where it is handled, as `storage.failed`. */
export const logStorageError = (error: StorageError): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logError("storage.failed", Cause.fail(error)), { doing: error.doing })

/** There is no tenant of this id. */
export class TenantUnknown extends Schema.TaggedError<TenantUnknown>()("TenantUnknown", { tenantId: Schema.String }) {}
