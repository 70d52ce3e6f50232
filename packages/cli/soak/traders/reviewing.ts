import type { Random } from "@bursar/simulation/kernel/Random"
import { Effect } from "effect"
import type { Office } from "./Trader.ts"

/** What they say where they refuse. */
const reason = "It is not worth it."

/** A refund waits for it, for good: the bank took back what it pays back. */
const hopeless = "source_taken_back"

/**
 * People who look through what waits for them, again and again: a swap whose price was overtaken they let go or refuse, and a refund of what has gone back
 * they cancel. What they cannot say now, as nobody listens or the operation has gone on, they say later, or not at all.
 */
export const reviewing = ({ verifier }: Office, tenantIds: ReadonlyArray<string>, random: Random) => {
  const review = Effect.fnUntraced(function* (tenant_id: string) {
    const { reviews } = yield* verifier.reviews.list({ params: { tenant_id } })
    for (const { id } of reviews.filter((one) => one.review === "PENDING" && one.status === "IN_REVIEW")) {
      const params = { tenant_id, operation_id: id }
      yield* Effect.ignore(
        random.below(2) === 0
          ? verifier.reviews.approve({ params })
          : verifier.reviews.reject({ params, payload: { reason } })
      )
    }
    const { operations } = yield* verifier.operations.list({ query: { tenant_id, kind: "REFUND", status: "ACCEPTED" } })
    for (const { id } of operations.filter(({ waits }) => waits?.reason === hopeless))
      yield* Effect.ignore(verifier.operations.cancel({ params: { tenant_id, operation_id: id } }))
  })
  return Effect.forEach(tenantIds, (id) => Effect.ignore(review(id)), { discard: true }).pipe(
    Effect.andThen(Effect.sleep("1 second")),
    Effect.forever
  )
}
