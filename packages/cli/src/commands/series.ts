import { seriesSpans } from "@bursar/api/operator/OperatorSeries"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { moneyText } from "./money.ts"
import { connect, connectionFlags, findTenant, openTenant, tenantArgument } from "./operator.ts"
import { printRecord, printRows } from "./print.ts"

const span = Flag.Literals("span", seriesSpans).pipe(
  Flag.withDescription("A day or a week by the hour, a month or a quarter of a year by the day"),
  Flag.withDefault("day" as const)
)

const flags = {
  ...connectionFlags,
  span,
  tenant: Flag.String("tenant").pipe(Flag.withDescription("Only of a tenant, by slug or id"), Flag.optional)
}

/** A client, and the query that the flags ask for. */
const open = Effect.fn("series.open")(function* (
  options: Parameters<typeof connect>[0] & {
    readonly span: (typeof seriesSpans)[number]
    readonly tenant: Option.Option<string>
  }
) {
  const client = yield* connect(options)
  const tenant = Option.isNone(options.tenant) ? undefined : yield* findTenant(client, options.tenant.value)
  return { client, query: { span: options.span, ...(tenant !== undefined && { tenant_id: tenant.id }) } }
})

const volume = Command.make(
  "volume",
  flags,
  Effect.fn(function* (options) {
    const { client, query } = yield* open(options)
    const series = yield* client.series.volume({ query })
    if (options.json) return yield* printRecord(true, series)
    const rows = series.points.map((point) => ({ ...point, amount: moneyText(point.amount) }))
    return yield* printRows(false, rows, "Nothing was accepted.")
  })
).pipe(Command.withDescription("How many operations were accepted, and of how much, step by step"))

const times = Command.make(
  "times",
  flags,
  Effect.fn(function* (options) {
    const { client, query } = yield* open(options)
    const series = yield* client.series.times({ query })
    if (options.json) return yield* printRecord(true, series)
    const rows = [
      ...series.settlement.map(({ kind, ...one }) => ({ of: kind, ...one })),
      ...series.confirmation.map(({ network, ...one }) => ({ of: `confirmation on ${network}`, ...one }))
    ]
    return yield* printRows(false, rows, "Nothing was settled or confirmed.")
  })
).pipe(Command.withDescription("How long settlements and confirmations took, step by step"))

const networks = Command.make(
  "networks",
  flags,
  Effect.fn(function* (options) {
    const { client, query } = yield* open(options)
    const series = yield* client.series.networks({ query })
    if (options.json) return yield* printRecord(true, series)
    const rows = [
      ...series.fees.map(({ at, count, fee, network }) => ({ at, network, what: "fee", of: moneyText(fee), count })),
      ...series.lag.map(({ at, blocks, network }) => ({ at, network, what: "blocks behind", of: blocks, count: null }))
    ]
    return yield* printRows(false, rows, "Nothing is known of that time.")
  })
).pipe(Command.withDescription("What networks took, and how far behind they were, step by step"))

const balances = Command.make(
  "balances",
  { ...connectionFlags, span, tenant: tenantArgument },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const series = yield* client.series.balances({ params, query: { span: options.span } })
    if (options.json) return yield* printRecord(true, series)
    const rows = series.points.map(({ at, balance }) => ({ at, balance: moneyText(balance) }))
    return yield* printRows(false, rows, "The tenant never had anything.")
  })
).pipe(Command.withDescription("What a tenant had at the end of each step"))

/** `bursar series …` */
export const seriesCommand = Command.make("series").pipe(
  Command.withDescription("What happened over time, summed up: volume, times, networks, balances"),
  Command.withSubcommands([volume, times, networks, balances]),
  Command.withExamples([
    { command: "bursar series volume --span week", description: "All operations of a week, by the hour" }
  ])
)
