import type { Operation } from "@bursar/core/operation/Operation"
import { orderIds } from "@bursar/core/operation/orderIds"
import type { ProviderResult } from "@bursar/core/port/ProviderResult"
import { Effect } from "effect"

/**
 * Sends an operation's order the first time. Afterwards asks its provider what became of it, by the id that is booked, and where it tells no state of
 * that, by the others that it had (`orderIds`). So it leaves one answer: the first state that is told, else the answer by the booked id.
 */
export const sendOrAsk = Effect.fnUntraced(function* <A, E, R>(
  operation: Operation,
  first: boolean,
  call: (by: string | null) => Effect.Effect<ProviderResult<A>, E, R>
) {
  if (first) return yield* call(null)
  const [booked, ...others] = orderIds(operation)
  const answer = yield* call(booked)
  if (answer._tag === "Done") return answer
  for (const id of others) {
    const other = yield* call(id)
    if (other._tag === "Done") return other
  }
  return answer
})
