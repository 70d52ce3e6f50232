import { apiError, type ApiErrorOf } from "@bursar/api/errors/ApiError"
import { type OperationStatus, operationStatuses } from "@bursar/core/operation/Operation"
import { Effect } from "effect"

const isStatus = (text: string): text is OperationStatus => operationStatuses.some((status) => status === text)

/** The status that a list is filtered by; one that does not exist is refused. */
export const statusFilter = (
  status: string | undefined
): Effect.Effect<OperationStatus | undefined, ApiErrorOf<"unknown_status">> =>
  status === undefined || isStatus(status) ? Effect.succeed(status) : Effect.fail(apiError("unknown_status"))
