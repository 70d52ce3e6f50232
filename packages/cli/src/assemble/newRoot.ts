import { type GrantRoot, newRootProblem } from "@bursar/core/grant/GrantRoot"
import { GrantStore } from "@bursar/core/grant/GrantStore"
import { Effect } from "effect"
import { CommandFailed } from "../config/CommandFailed.ts"

/** Whether the database shows any grant. */
export const showsChains = Effect.gen(function* () {
  const { after, ends } = yield* GrantStore
  const [fleet, tenants] = yield* Effect.all([after(null, 0, 1), ends])
  return fleet.length > 0 || tenants.length > 0
})

/** Refuses a root that reads badly while no chain follows on it, and it can still be mended. A database that does not answer is no reason to refuse one. */
export const checkNewRoot = Effect.fn("assemble.checkNewRoot")(function* (root: GrantRoot) {
  const problem = newRootProblem(root)
  if (problem === undefined) return
  if (!(yield* Effect.orElseSucceed(showsChains, () => true)))
    return yield* new CommandFailed({ message: `GRANT_ROOT: ${problem}` })
})
