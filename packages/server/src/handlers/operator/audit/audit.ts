import { OperatorApi } from "@bursar/api/OperatorApi"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { recordsAfter } from "@bursar/core/checker/verifyChain"
import { verifyLog } from "@bursar/core/checker/verifyLog"
import { toIso } from "@bursar/core/base/Timestamp"
import { AuditSeals } from "@bursar/core/port/AuditSeals"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { Context, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { orUnavailable } from "../../../refusals.ts"
import { entryToWire } from "./toWire.ts"

/** What operators did. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "audit",
  Effect.fnUntraced(function* (handlers) {
    const [audit, seals] = [yield* OperatorAudit, yield* AuditSeals]
    const log = Context.pick(OperatorAudit, AuditSeals)(yield* Effect.context<AuditSeals | OperatorAudit>())
    return handlers.handleAll({
      list: ({ query }) => {
        const limit = query.limit ?? listLimits.operatorLists.default
        const records = orUnavailable(audit.before(query.before, limit, query.operator?.toLowerCase()))
        return Effect.map(records, (found) => ({ entries: found.map(entryToWire) }))
      },
      verify: ({ query }) =>
        Effect.gen(function* () {
          const { anchored, firstWrong, head, records } = yield* orUnavailable(
            Effect.provide(verifyLog(query.anchor), log)
          )
          // one that cannot be read is wrong, as the log is then, and says of nothing that it is sealed
          const seal = yield* orUnavailable(Effect.catchDefect(seals.last, () => Effect.undefined))
          const sealed = seal?.toId ?? 0
          const [unsealed] = yield* orUnavailable(Effect.provideService(recordsAfter(sealed, 1), OperatorAudit, audit))
          return {
            ok: firstWrong === null && anchored !== false,
            records,
            head,
            first_wrong: firstWrong,
            sealed,
            unsealed_since: unsealed?.row === undefined ? null : toIso(unsealed.row.at),
            anchor_found: anchored
          }
        })
    })
  })
)
