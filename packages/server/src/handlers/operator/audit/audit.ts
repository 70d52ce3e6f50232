import { OperatorApi } from "@bursar/api/OperatorApi"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { verifyChain } from "@bursar/core/checker/verifyChain"
import { toIso } from "@bursar/core/base/Timestamp"
import { AuditSeals } from "@bursar/core/port/AuditSeals"
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
    const [audit, seals] = [yield* OperatorAudit, yield* AuditSeals]
    return handlers.handleAll({
      list: ({ query }) => {
        const limit = query.limit ?? listLimits.operatorLists.default
        const records = orUnavailable(audit.before(query.before, limit, query.operator?.toLowerCase()))
        return Effect.map(records, (found) => ({ entries: found.map(entryToWire) }))
      },
      verify: ({ query }) =>
        Effect.gen(function* () {
          const { anchored, firstWrong, head, records } = yield* orUnavailable(
            Effect.provideService(verifyChain(query.anchor), OperatorAudit, audit)
          )
          const sealed = (yield* orUnavailable(seals.last))?.toId ?? 0
          const [unsealed] = yield* orUnavailable(audit.after(sealed, 1))
          return {
            ok: firstWrong === null && anchored !== false,
            records,
            head,
            first_wrong: firstWrong,
            sealed,
            unsealed_since: unsealed === undefined ? null : toIso(unsealed.at),
            anchor_found: anchored
          }
        })
    })
  })
)
