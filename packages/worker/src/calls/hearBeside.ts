import type { Referenced } from "@bursar/core/custody/claimOrder"
import type { Late } from "@bursar/core/custody/heardLate"
import { hearReplaced } from "@bursar/core/custody/hearReplaced"
import type { Fence } from "@bursar/core/engine/fenced"
import type { Operation } from "@bursar/core/operation/Operation"
import type { ProviderResult } from "@bursar/core/port/ProviderResult"
import { Effect } from "effect"
import { logContradiction } from "../queue/logContradiction.ts"
import { submitFenced } from "../watch/submitFenced.ts"

/** Hears what a provider has said of an operation by ids that operators have replaced, beside what counts (`hearReplaced`), and logs what is news. */
export const hearBeside = Effect.fnUntraced(function* <A extends Referenced>(
  fence: Fence,
  operation: Operation | undefined,
  beside: ReadonlyArray<ProviderResult<A>>,
  contradiction: Late<A>["contradiction"]
) {
  let before = operation
  for (const answer of beside) {
    if (before === undefined) return
    const after = yield* submitFenced(fence, before.tenantId, hearReplaced(before, answer, contradiction))
    yield* logContradiction(before, after)
    before = after
  }
})
