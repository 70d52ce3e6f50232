import { type Referenced, referenceOf } from "@bursar/core/custody/claimOrder"
import type { Operation } from "@bursar/core/operation/Operation"
import { orderIds } from "@bursar/core/operation/orderIds"
import type { ProviderResult } from "@bursar/core/port/ProviderResult"
import { Effect } from "effect"

/** What a provider has said of an operation. */
export interface Answered<A> {
  /** What counts. */
  readonly answer: ProviderResult<A>
  /** The states that it told of other orders, by ids which operators have replaced. */
  readonly beside: ReadonlyArray<ProviderResult<A>>
}

/** An answer that counts, with nothing beside it. */
export const alone = <A>(answer: ProviderResult<A>): Answered<A> => ({ answer, beside: [] })

/**
 * Sends an operation's order the first time. Afterwards asks its provider what became of it, by the id that is booked and by the others that it had
 * (`orderIds`): money may have left by each. The first state that is told counts, else the answer by the booked id.
 */
export const sendOrAsk = Effect.fnUntraced(function* <A extends Referenced, E, R>(
  operation: Operation,
  first: boolean,
  call: (by: string | null) => Effect.Effect<ProviderResult<A>, E, R>
) {
  if (first) return alone(yield* call(null))
  const [booked, ...others] = orderIds(operation)
  const asked = yield* call(booked)
  const all = [asked, ...(yield* Effect.forEach(others, call))]
  const answer = all.find(({ _tag }) => _tag === "Done") ?? asked
  const beside = all.filter((one) => one._tag === "Done" && referenceOf(one) !== referenceOf(answer))
  return { answer, beside } satisfies Answered<A>
})
