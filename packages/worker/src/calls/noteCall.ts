import { logStorageError } from "@bursar/core/engine/StorageError"
import type { Operation } from "@bursar/core/operation/Operation"
import { type CallFacts, type CallName, ProviderCalls } from "@bursar/core/port/ProviderCalls"
import type { ProviderResult } from "@bursar/core/port/ProviderResult"
import { Clock, Effect } from "effect"
import { apart } from "../queue/apart.ts"
import { defectAsUnknown } from "../queue/defectAsUnknown.ts"
import { type Facts, factsOf } from "./facts.ts"

/** A call of a provider for an operation, and what may be kept of it. */
export interface Calling<A> {
  readonly operation: Operation
  readonly name: CallName
  readonly call: Effect.Effect<ProviderResult<A>>
  readonly asked: Facts
  /** What may be kept of what was done. */
  readonly told: (value: A) => Facts
  /** What of the order, and of what was done, names people or their accounts: it is taken out of what the provider says. */
  readonly personal?: (value: A | undefined) => ReadonlyArray<string | null>
}

const answerFacts = <A>(answer: ProviderResult<A>, told: (value: A) => Facts): Facts => {
  if (answer._tag === "Done") return told(answer.value)
  return answer._tag === "Refused" ? { reason: answer.reason } : { detail: answer.detail }
}

/** Makes a call and notes it with its answer. A defect of the adapter is an answer of which nothing is known; a call that cannot be noted counts all the same. */
export const noteCall = Effect.fn("calls.note")(function* <A>({
  asked,
  call,
  name,
  operation,
  personal = () => [],
  told
}: Calling<A>) {
  const at = yield* Clock.currentTimeMillis
  const answer = yield* defectAsUnknown(call)
  const { id: operationId, tenantId } = operation
  const noting = Effect.gen(function* () {
    const named = personal(answer._tag === "Done" ? answer.value : undefined)
    const facts = (of: Facts): CallFacts => factsOf(of, named)
    const calls = yield* ProviderCalls
    yield* calls.note({
      tenantId,
      operationId,
      provider: operation.provider ?? "",
      call: name,
      at,
      durationMs: Math.max(0, (yield* Clock.currentTimeMillis) - at),
      outcome: answer._tag,
      asked: facts(asked),
      answered: facts(answerFacts(answer, told))
    })
  }).pipe(Effect.catchTag("StorageError", logStorageError))
  // the answer may tell of money that has left: a mistake in what is kept of it must not lose it
  yield* apart({ tenant: tenantId, operation: operationId }, noting)
  return answer
})
