import { products } from "@bursar/core/pricing/Product"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { moneyText } from "./money.ts"
import { connectionFlags, given, openTenant, tenantArgument } from "./operator.ts"
import { printRecord, printRows } from "./print.ts"

const railFlag = Flag.String("rail").pipe(
  Flag.withDescription("The network of a chain payout, or the rail of a bank transfer"),
  Flag.optional
)

const add = Command.make(
  "add",
  {
    ...connectionFlags,
    tenant: tenantArgument,
    percent: Flag.String("percent").pipe(Flag.withDescription("2 means 2 percent"), Flag.withDefault("0")),
    minimum: Flag.String("minimum").pipe(
      Flag.withDescription("The minimum fee, in whole units of the currency"),
      Flag.withDefault("0")
    ),
    product: Flag.Literals("product", products).pipe(Flag.withDescription("Only for this product"), Flag.optional),
    currency: Flag.String("currency").pipe(Flag.withDescription("Only for this currency"), Flag.optional),
    rail: railFlag,
    priority: Flag.Int("priority").pipe(
      Flag.withDescription("The rule with the lower number comes first"),
      Flag.withDefault(100)
    ),
    from: Flag.String("from").pipe(
      Flag.withDescription("Start of the rule as an RFC 3339 time; now by default"),
      Flag.optional
    )
  },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const payload = {
      percent: options.percent,
      minimum_fee: options.minimum,
      priority: options.priority,
      ...given("product", options.product),
      ...given("currency", options.currency),
      ...given("rail", options.rail),
      ...given("effective_from", options.from)
    }
    yield* printRecord(options.json, yield* client.custody.createFeeRule({ params, payload }))
  })
).pipe(
  Command.withDescription("Add a fee rule; the first match applies, the tenant's own rules before the service's"),
  Command.withExamples([
    {
      command: "bursar fee add acme --product CHAIN_PAYOUT --rail tron --percent 0.5 --minimum 1",
      description: "Half a percent of payouts on tron, one unit at least"
    }
  ])
)

const list = Command.make(
  "list",
  { ...connectionFlags, tenant: tenantArgument },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const { fee_rules: rules } = yield* client.custody.feeRules({ params })
    yield* printRows(options.json, rules, "The tenant has no fee rules of its own.")
  })
).pipe(Command.withDescription("List a tenant's own fee rules, including retired ones"))

const retire = Command.make(
  "retire",
  {
    ...connectionFlags,
    tenant: tenantArgument,
    rule: Argument.String("rule").pipe(Argument.withDescription("The rule's id"))
  },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const path = { ...params, fee_rule_id: options.rule }
    yield* printRecord(options.json, yield* client.custody.retireFeeRule({ params: path }))
  })
).pipe(Command.withDescription("Retire a fee rule; fees that were charged stay charged"))

const simulate = Command.make(
  "simulate",
  {
    ...connectionFlags,
    tenant: tenantArgument,
    product: Argument.Literals("product", products).pipe(Argument.withDescription(`One of ${products.join(", ")}`)),
    amount: Argument.String("amount").pipe(Argument.withDescription("In whole units")),
    currency: Argument.String("currency").pipe(Argument.withDescription("Such as USDT_TRON")),
    rail: railFlag
  },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const { amount, currency, product } = options
    const query = { product, amount, currency, ...given("rail", options.rail) }
    const found = yield* client.custody.simulateFee({ params, query })
    const rule = Option.match(Option.fromNullishOr(found.rule), {
      onNone: () => "none matches",
      onSome: ({ minimum_fee, percent, priority }) =>
        `${percent} %, ${minimum_fee} at least, priority ${priority}${found.of_service ? ", of the service" : ""}`
    })
    const told = { fee: moneyText(found.fee), total: moneyText(found.total), rule }
    yield* printRecord(options.json, options.json ? found : told)
  })
).pipe(
  Command.withDescription("Show the fee that an amount would cost now, and the rule that applies"),
  Command.withExamples([
    {
      command: "bursar fee simulate acme CHAIN_PAYOUT 250 USDT_TRON --rail tron",
      description: "The fee of a payout"
    }
  ])
)

/** `bursar fee …` */
export const feeCommand = Command.make("fee").pipe(
  Command.withDescription("Fees of tenants"),
  Command.withSubcommands([add, list, retire, simulate])
)
