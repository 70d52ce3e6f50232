import type { Command } from "@bursar/core/engine/Command"
import type { Fence } from "@bursar/core/engine/fenced"
import type { Operation } from "@bursar/core/operation/Operation"
import type { ProviderResult } from "@bursar/core/port/ProviderResult"
import { Effect } from "effect"
import { logContradiction } from "../queue/logContradiction.ts"
import { submitFenced } from "../watch/submitFenced.ts"

/** Hears what a provider has said of an operation by ids that operators have replaced, beside what counts (`hearReplaced`, or what `hear` makes of it), and logs what is news. */
export const hearBeside = Effect.fnUntraced(function* <A>(
  fence: Fence,
  operation: Operation | undefined,
  beside: ReadonlyArray<ProviderResult<A>>,
  hear: (operation: Operation, answer: ProviderResult<A>) => Command<Operation | undefined>
) {
  let before = operation
  for (const answer of beside) {
    if (before === undefined) return
    const after = yield* submitFenced(fence, before.tenantId, hear(before, answer))
    yield* logContradiction(before, after)
    before = after
  }
})
