import { cancelPayout } from "@bursar/core/payout/cancelPayout"
import { hashesGiven } from "@bursar/core/payout/standingEvidence"
import { Operation } from "@bursar/core/operation/Operation"
import { Queries } from "@bursar/core/store/Queries"
import type { Payout } from "@bursar/core/payout/Payout"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { Clock, Effect } from "effect"
import { orUnavailable } from "../../../refusals.ts"
import { makeRefuseSigned } from "../reviews/refuseSigned.ts"
import { makeKeptBySigner } from "./keptBySigner.ts"
import type { WholePayout } from "./toWire.ts"

/** A payout that is to be cancelled, as it was read. */
type Cancellable = Pick<WholePayout, "operation" | "transaction"> & { readonly payout: Payout }

/**
 * The command that cancels a payout by an operator's word, once the signer was asked what it has signed for it. Refused where that may pay it
 * (`makeRefuseSigned`); fails where the signer cannot tell.
 */
export const makeCancelling = Effect.gen(function* () {
  const refuseSigned = yield* makeRefuseSigned
  const keptBySigner = yield* makeKeptBySigner
  const queries = yield* Queries
  return Effect.fnUntraced(function* (
    { operation, payout, transaction }: Cancellable,
    { by, currencies }: { readonly by: string; readonly currencies: CurrencyTable }
  ) {
    yield* refuseSigned(operation, currencies)
    const askedAt = yield* Clock.currentTimeMillis
    const kept = yield* keptBySigner({ operation, transaction })
    const given = yield* orUnavailable(hashesGiven(queries, operation.tenantId, operation.id))
    const ofEach = yield* Effect.forEach(kept.own, ({ hash }) =>
      orUnavailable(queries.records(operation.tenantId, Operation, hash))
    )
    return cancelPayout({ payout, transaction, kept, booked: ofEach.flat(), given, askedAt, by, currencies })
  })
})
