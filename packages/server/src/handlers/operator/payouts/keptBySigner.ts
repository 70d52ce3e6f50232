import { apiError } from "@bursar/api/errors/ApiError"
import { type KeptSignatures, keptSignatures } from "@bursar/core/payout/keptSignatures"
import { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { requestsFor } from "@bursar/core/payout/requestsFor"
import { signedBeside, signedFor, signedUnstored } from "@bursar/core/payout/signedUnstored"
import { Queries } from "@bursar/core/store/Queries"
import { operationsOf } from "@bursar/core/transaction/OutboundTransaction"
import { Effect, Option } from "effect"
import { orUnavailable } from "../../../refusals.ts"
import type { WholePayout } from "./toWire.ts"

const nothing = keptSignatures([])

/**
 * What the signer has signed for the outbound transaction of a payout and the service does not have: an answer got lost, or may not be sent. Whoever gives the
 * payout up has to know, as the bytes may be on the chain. Where something is stored as signed, only what its replacement does not exclude counts. Fails where the signer cannot tell. Where no signer is given, what is stored counts.
 */
export const makeKeptBySigner = Effect.gen(function* () {
  const found = yield* Effect.serviceOption(TransactionSigner)
  const queries = yield* Queries
  return Effect.fnUntraced(function* ({ operation, transaction }: Pick<WholePayout, "operation" | "transaction">) {
    const { tenantId } = operation
    if (Option.isNone(found) || transaction === undefined || transaction.phase === "FINAL") return nothing
    const { guard, network, phase } = transaction
    const asked = <A, E>(question: Effect.Effect<A, E, Queries | TransactionSigner>) =>
      question.pipe(
        Effect.provideService(TransactionSigner, found.value),
        Effect.provideService(Queries, queries),
        Effect.mapError(() => apiError("provider_unavailable"))
      )
    if (phase !== "RESERVED")
      return { ...nothing, elsewhere: yield* asked(signedBeside(operation, transaction)) } satisfies KeptSignatures
    const paid = yield* Effect.forEach(operationsOf(transaction), (id) =>
      orUnavailable(queries.operation(tenantId, id))
    )
    const requests = requestsFor(paid.filter((one) => one !== undefined))
    const kept = keptSignatures(yield* asked(signedUnstored({ tenantId, network, guard, requests })))
    if (kept.elsewhere.length === 0) return kept
    // what was signed for others of its batch alone cannot have paid it
    return { ...kept, elsewhere: yield* asked(signedFor(operation, network)) } satisfies KeptSignatures
  })
})
