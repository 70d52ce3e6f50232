import { OperatorApi } from "@bursar/api/OperatorApi"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { recordsAfter, verifyChain } from "@bursar/core/checker/verifyChain"
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
          const seal = yield* orUnavailable(Effect.catchDefect(seals.last, () => Effect.succeed("unreadable" as const)))
          const sealed = seal === "unreadable" ? 0 : (seal?.toId ?? 0)
          const [unsealed] = yield* orUnavailable(Effect.provideService(recordsAfter(sealed, 1), OperatorAudit, audit))
          const wrong = firstWrong ?? (seal === "unreadable" ? "The newest seal cannot be read: it was changed." : null)
          return {
            ok: wrong === null && anchored !== false,
            records,
            head,
            first_wrong: wrong,
            sealed,
            unsealed_since: unsealed?.row === undefined ? null : toIso(unsealed.row.at),
            anchor_found: anchored
          }
        })
    })
  })
)
