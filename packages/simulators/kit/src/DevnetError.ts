import { Schema } from "effect"

/** What went wrong, stable enough to branch on. */
export const DevnetErrorCode = Schema.Literals([
  "binary_missing",
  "process_failed",
  "start_timeout",
  "permission_denied",
  "data_dir_in_use",
  "file_failed",
  "listen_failed",
  "rpc_failed",
  "database_failed",
  "invalid_request"
])

/** {@link DevnetErrorCode} as a type. */
export type DevnetErrorCode = typeof DevnetErrorCode.Type

/**
 * Anything that stops a local network or database from doing what it was asked.
 *
 * `message` says what happened, `hint` what a person can do about it.
 */
export class DevnetError extends Schema.TaggedError<DevnetError>()("DevnetError", {
  code: DevnetErrorCode,
  message: Schema.String,
  hint: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}
