import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { connect, connectionFlags, findTenant } from "./operator.ts"
import { printRows } from "./print.ts"

const income = Command.make(
  "income",
  {
    ...connectionFlags,
    month: Flag.String("month").pipe(Flag.withDescription("A month in UTC, such as 2026-10")),
    tenant: Flag.String("tenant").pipe(Flag.withDescription("Only this tenant, by its slug or id"), Flag.optional)
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const only = Option.isNone(options.tenant)
      ? {}
      : { tenant_id: (yield* findTenant(client, options.tenant.value)).id }
    const report = yield* client.books.income({ query: { month: options.month, ...only } })
    const rows = report.rows.map(({ currency, exchange, fees, network_fees, product, tenant }) => ({
      tenant,
      product,
      currency,
      fees,
      network_fees,
      exchange
    }))
    yield* printRows(options.json, options.json ? report.rows : rows, "The month earned and cost nothing.")
  })
).pipe(
  Command.withDescription("What a month earned and cost, by tenant, product and currency"),
  Command.withExamples([{ command: "bursar report income --month 2026-10", description: "October, of all tenants" }])
)

/** `bursar report …` */
export const reportCommand = Command.make("report").pipe(
  Command.withDescription("Reports for accountants"),
  Command.withSubcommands([income])
)
