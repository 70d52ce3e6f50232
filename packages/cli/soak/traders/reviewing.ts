import type { Random } from "@bursar/simulation/kernel/Random"
import { Effect } from "effect"
import type { Office } from "./Trader.ts"

/** What they say where they refuse. */
const reason = "It is not worth it."

/**
 * People who look through what waits for them, like a swap whose price was overtaken, and let it go or refuse it, again and again. What
 * they cannot say now, as nobody listens or the operation has gone on, they say later, or not at all.
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
  })
  return Effect.forEach(tenantIds, (id) => Effect.ignore(review(id)), { discard: true }).pipe(
    Effect.andThen(Effect.sleep("1 second")),
    Effect.forever
  )
}
