import { Effect } from "effect"
import type { Operation } from "../operation/Operation.ts"
import type { Network } from "../money/Network.ts"
import { type SignaturesOf, TransactionSigner } from "../port/TransactionSigner.ts"
import { Queries } from "../store/Queries.ts"
import { requestsFor } from "./requestsFor.ts"
import type { OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import { attemptKey, TransactionAttempt } from "../transaction/TransactionAttempt.ts"

/**
 * What the signer has signed that concerns a guard or some requests, and that is not stored, oldest first: an answer got lost, or the database was
 * restored. Fails where the signer cannot tell.
 */
export const signedUnstored = Effect.fn("payout.signedUnstored")(function* (of: SignaturesOf) {
  const queries = yield* Queries
  const signed = yield* (yield* TransactionSigner).signed(of)
  const stored = yield* Effect.forEach(signed, ({ hash }) =>
    queries.record(of.tenantId, TransactionAttempt, attemptKey(of.network, hash))
  )
  return signed.filter((_, index) => stored[index] === undefined)
})

/** All that the signer has signed for a chain payout, under whatever guard and beside whatever else, and that is not stored, oldest first. */
export const signedFor = (operation: Operation, network: Network) =>
  // no guard of its own: only what answers to its request is looked for
  signedUnstored({
    tenantId: operation.tenantId,
    network,
    guard: { _tag: "Expiry" },
    requests: requestsFor([operation])
  })

/**
 * What the signer has signed for a chain payout, and is not stored, that can take effect beside all that is stored as signed for its outbound transaction
 * and whatever replaces it, oldest first.
 */
export const signedBeside = Effect.fn("payout.signedBeside")(function* (
  operation: Operation,
  { guard, network }: Pick<OutboundTransaction, "guard" | "network">
) {
  const { tenantId } = operation
  const unstored = yield* signedUnstored({ tenantId, network, guard, requests: requestsFor([operation]) })
  return unstored.filter(({ guardToo, shares }) =>
    // an expiry excludes nothing
    guard._tag === "Expiry" ? shares !== "guard" : shares === "requests" && guardToo !== true
  )
})
