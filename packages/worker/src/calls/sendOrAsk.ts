import type { Operation } from "@bursar/core/operation/Operation"
import { orderIds } from "@bursar/core/operation/orderIds"
import type { ProviderResult } from "@bursar/core/port/ProviderResult"
import { Effect } from "effect"

/**
 * Sends an operation's order the first time. Afterwards asks its provider what became of it, by the id that is booked, and where it tells no state of
 * that, by the one that it had told itself before operators stated another. So it leaves one answer: the first state that is told, else the answer by
 * the booked id.
 */
export const sendOrAsk = Effect.fnUntraced(function* <A, E, R>(
  operation: Operation,
  first: boolean,
  call: (by: string | null) => Effect.Effect<ProviderResult<A>, E, R>
) {
  if (first) return yield* call(null)
  const [booked, told] = orderIds(operation)
  const answer = yield* call(booked)
  if (answer._tag === "Done" || told === undefined) return answer
  const other = yield* call(told)
  return other._tag === "Done" ? other : answer
})
