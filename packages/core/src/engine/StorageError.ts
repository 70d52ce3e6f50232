import { Cause, Effect, Schema } from "effect"

/** The storage could not do it: nothing of the call was written, and trying again is safe, unless `outcome` says otherwise. */
export class StorageError extends Schema.TaggedError<StorageError>()("StorageError", {
  /** What was tried. */
  doing: Schema.String,
  cause: Schema.Defect(),
  /**
   * That what was to be written is at fault, or a record that was to be read for it, so that it fails whenever it is tried, and what others write
   * does not. Certain where it is set; where it is absent nothing is known.
   */
  unstorable: Schema.optionalKey(Schema.Literal(true)),
  /** That all of the call may have been written, or nothing: only what is done once at most may be tried again. */
  outcome: Schema.optionalKey(Schema.Literal("unknown"))
}) {
  override get message(): string {
    return `storage failed: ${this.doing}`
  }
}

/** Whether something failed since the storage cannot hold what was to be written, or cannot read what it is made of. */
export const isUnstorable = (error: { readonly _tag: string }): error is StorageError =>
  error instanceof StorageError && error.unstorable === true

/** Logs a failure of the storage where it is handled, as `storage.failed`. */
export const logStorageError = (error: StorageError): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logError("storage.failed", Cause.fail(error)), {
    doing: error.doing,
    ...(error.outcome && { outcome: error.outcome })
  })

/** There is no tenant of this id. */
export class TenantUnknown extends Schema.TaggedError<TenantUnknown>()("TenantUnknown", { tenantId: Schema.String }) {}
