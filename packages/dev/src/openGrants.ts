import { CommandFailed } from "@bursar/cli/config/CommandFailed"
import { Queries } from "@bursar/core/store/Queries"
import type { OperationStatus } from "@bursar/core/operation/Operation"
import { Console, Effect } from "effect"
import { hasRoot, openApprovers } from "./approvers.ts"
import type { DevSecrets } from "./secrets.ts"

const underWay: ReadonlyArray<OperationStatus> = ["ACCEPTED", "IN_REVIEW", "PROCESSING", "SENT"]

const payoutsUnderWay = Effect.gen(function* () {
  const queries = yield* Queries
  const found = yield* Effect.forEach(underWay, (status) =>
    queries.operations({ kinds: ["CHAIN_PAYOUT"], status, order: "oldest", limit: 100 })
  )
  return found.flat().length
})

/**
 * Who approves grants here. A data directory of a version before grants gets its approvers once the payouts that it has under way have ended:
 * they were requested before any key was granted, so that a signer that goes by grants would refuse them. Until then it goes by rows: null.
 */
export const openGrants = Effect.fn("dev.openGrants")(function* (dataDir: string, { ceremony, tenants }: DevSecrets) {
  if (tenants.length === 0 || (yield* hasRoot(dataDir))) return yield* openApprovers(dataDir)
  if (ceremony !== undefined)
    return yield* new CommandFailed({
      message: `The approvers of this data directory are gone: put the folder ${dataDir}/approvers back, or begin anew with npm start -- --fresh`
    })
  const open = yield* payoutsUnderWay
  if (open === 0) return yield* openApprovers(dataDir)
  yield* Console.log(
    `This data directory is of a version before grants, and ${open} payouts are under way or in review: it goes on without grants. Start it anew once they have ended.`
  )
  return null
})
