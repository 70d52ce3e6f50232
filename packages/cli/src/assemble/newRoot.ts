import { type GrantRoot, newRootProblem } from "@bursar/core/grant/GrantRoot"
import { GrantStore } from "@bursar/core/grant/GrantStore"
import { Effect } from "effect"
import { CommandFailed } from "../config/CommandFailed.ts"

/** Refuses a root that reads badly while no chain follows on it, and it can still be mended. A database that does not answer is no reason to refuse one. */
export const checkNewRoot = Effect.fn("assemble.checkNewRoot")(function* (root: GrantRoot) {
  const problem = newRootProblem(root)
  if (problem === undefined) return
  const { after, ends } = yield* GrantStore
  const isNew = yield* Effect.all([after(null, 0, 1), ends]).pipe(
    Effect.map(([fleet, tenants]) => fleet.length === 0 && tenants.length === 0),
    Effect.orElseSucceed(() => false)
  )
  if (isNew) return yield* new CommandFailed({ message: `GRANT_ROOT: ${problem}` })
})
