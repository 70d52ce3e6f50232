import { OperatorApi } from "@bursar/api/OperatorApi"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exportBook } from "./exportBook.ts"
import { income } from "./income.ts"
import { periods } from "./periods.ts"

const options = { uninterruptible: true }

/** Books for accountants. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "books",
  Effect.fnUntraced(function* (handlers) {
    const months = yield* periods
    const report = yield* income
    return handlers.handleAll({
      export: yield* exportBook,
      periods: ({ params }) => months.ofTenant(params.tenant_id),
      close: { options, handler: ({ params }) => months.close(params) },
      statement: ({ params, query }) => months.statement(params, query.format),
      verify: ({ params }) => months.verify(params),
      servicePeriods: () => months.ofService,
      closeService: { options, handler: ({ params }) => months.closeService(params.period) },
      serviceStatement: ({ params, query }) => months.statement(params, query.format),
      verifyService: ({ params }) => months.verify(params),
      income: ({ query }) => report(query)
    })
  })
)
