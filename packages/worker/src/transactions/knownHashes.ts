import type { Operation } from "@bursar/core/operation/Operation"
import { Payout } from "@bursar/core/payout/Payout"
import { Queries } from "@bursar/core/store/Queries"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { Effect } from "effect"
import type { OwnedTransaction, Send } from "./Send.ts"

/**
 * The hashes of what is stored as signed for an outbound transaction, and for those that expired before it and paid the same operations: what
 * expired may have left its number unused, so that the signer finds it in the place of the new one.
 */
export const knownHashes = Effect.fn("send.knownHashes")(function* (
  { traits: { accountModel } }: Pick<Send, "traits">,
  { tenantId, transaction }: OwnedTransaction,
  operations: ReadonlyArray<Operation>
) {
  // elsewhere nothing expires
  if (accountModel !== "sequence" && accountModel !== "expiry") return transaction.hashes
  const queries = yield* Queries
  const payouts = yield* Effect.forEach(operations, ({ id }) => queries.record(tenantId, Payout, id))
  const earlier = new Set(payouts.flatMap((payout) => payout?.earlierTransactions ?? []))
  const expired = yield* Effect.forEach(earlier, (id) => queries.record(tenantId, OutboundTransaction, id))
  return [...transaction.hashes, ...expired.flatMap((one) => one?.hashes ?? [])]
})
