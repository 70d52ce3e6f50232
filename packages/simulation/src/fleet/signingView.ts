import { SigningView, type TenantProgress } from "@bursar/core/port/SigningView"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import type { Head } from "@bursar/core/engine/WriteSet"
import type { State } from "@bursar/memory"
import { Effect } from "effect"

const progressIn = ({ changeSeq, eventId, postingSeq }: Head): TenantProgress => ({
  changeSeq: BigInt(changeSeq),
  eventId: BigInt(eventId),
  postingSeq: BigInt(postingSeq)
})

/** What a signer compares its memory with. Nobody takes anything over here: a store that is lost is recovered. */
export const signingViewOf = (state: State): SigningView["Service"] =>
  SigningView.of({
    progress: (tenantId) =>
      Effect.sync(() => {
        const head = state.tenants.get(tenantId)?.head
        return head && progressIn(head)
      }),
    progressOfAll: Effect.sync(
      () => new Map([...state.tenants].map(([tenantId, { head }]) => [tenantId, progressIn(head)]))
    ),
    onPrimary: (effect) => effect,
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
