import { SigningView } from "@bursar/core/port/SigningView"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import type { State } from "@bursar/memory"
import { Effect } from "effect"

/** What a signer compares its memory with. Nobody takes anything over here: a store that is lost is recovered. */
export const signingViewOf = (state: State): SigningView["Service"] =>
  SigningView.of({
    progress: (tenantId) =>
      Effect.sync(() => {
        const head = state.tenants.get(tenantId)?.head
        return (
          head && {
            changeSeq: BigInt(head.changeSeq),
            eventId: BigInt(head.eventId),
            postingSeq: BigInt(head.postingSeq)
          }
        )
      }),
    newestSignatures: (limit) =>
      Effect.sync(() =>
        [...state.tenants.values()]
          // under a name stand records of that kind alone
          .flatMap(({ records }) => [
            ...((records.get(TransactionAttempt.name) ?? new Map()) as Map<string, TransactionAttempt>).values()
          ])
          .filter(({ pays }) => pays.length > 0)
          .toSorted((one, other) => other.signedAt - one.signedAt)
          .slice(0, limit)
      ),
    openSignatures: () => Effect.succeed([]),
    answeredRequests: () => Effect.succeed([])
  })
