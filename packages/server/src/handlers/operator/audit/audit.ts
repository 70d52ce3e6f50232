import { OperatorApi } from "@bursar/api/OperatorApi"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { verifyChain } from "@bursar/core/checker/verifyChain"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { orUnavailable } from "../../../refusals.ts"
import { entryToWire } from "./toWire.ts"

/** What operators did. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "audit",
  Effect.fnUntraced(function* (handlers) {
    const audit = yield* OperatorAudit
    return handlers.handleAll({
      list: ({ query }) => {
        const limit = query.limit ?? listLimits.operatorLists.default
        const records = orUnavailable(audit.before(query.before, limit, query.operator?.toLowerCase()))
        return Effect.map(records, (found) => ({ entries: found.map(entryToWire) }))
      },
      verify: ({ query }) =>
        orUnavailable(Effect.provideService(verifyChain(query.anchor), OperatorAudit, audit)).pipe(
          Effect.map(({ anchored, firstWrong, head, records }) => ({
            ok: firstWrong === null && anchored !== false,
            records,
            head,
            first_wrong: firstWrong,
            anchor_found: anchored
          }))
        )
    })
  })
)
