import type { ApiError } from "@bursar/api/errors/ApiError"
import type { Operation } from "@bursar/core/operation/Operation"
import { Payout } from "@bursar/core/payout/Payout"
import type { Queries } from "@bursar/core/store/Queries"
import { Effect } from "effect"
import { orUnavailable } from "../../../refusals.ts"

/** The payout that belongs to an operation; undefined where it is none. */
export const payoutOf = (
  queries: Queries["Service"],
  { id, kind, tenantId }: Operation
): Effect.Effect<Payout | undefined, ApiError> =>
  kind === "CHAIN_PAYOUT" ? orUnavailable(queries.record(tenantId, Payout, id)) : Effect.succeed(undefined)
