import type { BlockRef } from "@bursar/core/port/Chain"
import type { ChainSender } from "@bursar/core/port/ChainSender"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import type { KnownTransaction } from "@bursar/core/reconciliation/chainMovements"
import { Queries } from "@bursar/core/store/Queries"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { Effect } from "effect"
import { statusSince } from "../nodes/statusSince.ts"
import { statusOf } from "../transactions/statusOf.ts"
import { readableOf } from "./leftOut.ts"

/** How many are asked about at once. */
const askedAtOnce = 4

/**
 * Those of some transactions that may be on the chain. One that was given up can wait for ever, such as for coin that a reorganisation took: as
 * long as it counted for possibly in flight, as much could be missing unseen. So a node of the network is asked that has the newest block of what was
 * read of balances, and one that it says still waits is not there. Of which it says anything else, or nothing, may be; so may all where each node is
 * behind. One of which an attempt cannot be read is not there, either: it explains nothing.
 */
export const mayBeThere = Effect.fn("reconcile.mayBeThere")(function* (
  { reader, sender }: Pick<NetworkAdapter, "reader" | "sender">,
  newest: Pick<BlockRef, "hash" | "number">,
  all: ReadonlyArray<KnownTransaction>
) {
  const ask = sender.statusSince ?? statusSince({ reader, sender })
  const queries = yield* Queries
  const isWaiting = Effect.fnUntraced(function* (known: KnownTransaction) {
    const { tenantId, transaction } = known
    const { givenUpAfter, id, phase } = transaction
    if (givenUpAfter === null || (phase !== "SIGNED" && phase !== "BROADCAST")) return false
    const found = yield* queries.readable(tenantId, TransactionAttempt, id)
    const attempts = yield* readableOf(found)
    // whoever has made one unreadable must not have it count for what is missing
    if (found.unreadable.length > 0) return true
    const asked: Pick<ChainSender, "status"> = { status: (order, sent) => ask(newest, order, sent) }
    return yield* statusOf(asked, known, attempts).pipe(
      Effect.map(({ _tag }) => _tag === "Pending"),
      Effect.catchTag("ChainError", () => Effect.succeed(false))
    )
  })
  const waiting = yield* Effect.forEach(all, isWaiting, { concurrency: askedAtOnce })
  return all.filter((_, index) => waiting[index] !== true)
})
