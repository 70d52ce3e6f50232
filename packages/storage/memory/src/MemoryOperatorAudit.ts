import { chained } from "@bursar/core/audit/chained"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { Effect, Layer } from "effect"
import { Store } from "./Store.ts"

/** What operators did, in memory. */
export const layer = Layer.effect(
  OperatorAudit,
  Effect.map(Store, ({ audit, auditLock }) =>
    OperatorAudit.of({
      append: (action) =>
        auditLock.withPermits(1)(
          Effect.tap(
            Effect.suspend(() => chained(audit.at(-1), action)),
            (record) => Effect.sync(() => void audit.push(record))
          )
        ),
      after: (id, limit) => Effect.sync(() => audit.filter((record) => record.id > id).slice(0, limit)),
      before: (id, limit, operator) =>
        Effect.sync(() =>
          audit
            .filter(
              (record) => (id === undefined || record.id < id) && (operator ?? record.operator) === record.operator
            )
            .toReversed()
            .slice(0, limit)
        )
    })
  )
)
