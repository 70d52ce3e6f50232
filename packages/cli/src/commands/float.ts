import { againstAccounts } from "@bursar/api/operator/againstAccounts"
import type { Adjusted, OperatorAdjustment } from "@bursar/api/operator/OperatorFloat"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CommandFailed } from "../config/CommandFailed.ts"
import { moneyText } from "./money.ts"
import { connectionFlags, openTenant, tenantArgument } from "./operator.ts"
import { printRecord, printRows } from "./print.ts"

const named = {
  ...connectionFlags,
  tenant: tenantArgument,
  adjustment: Argument.String("adjustment").pipe(Argument.withDescription("The adjustment's id"))
}

const adjusted = (json: boolean, one: Adjusted) =>
  printRecord(json, json ? one : { ...one, available: moneyText(one.available) })

const row = (one: OperatorAdjustment) => ({
  state: one.state,
  amount: moneyText(one.amount),
  from: one.from,
  against: one.against,
  proposed_by: one.proposed_by,
  decided_by: one.decided_by,
  reason: one.reason,
  id: one.id
})

/** The signed amount that the flags give: one of the two, exactly. */
const amountOf = (add: Option.Option<string>, take: Option.Option<string>) => {
  if (Option.isSome(add) && Option.isNone(take)) return Effect.succeed(add.value)
  if (Option.isSome(take) && Option.isNone(add)) return Effect.succeed(`-${take.value}`)
  return Effect.fail(new CommandFailed({ message: "Say how much by --add or by --take, one of the two." }))
}

const keyFlag = Flag.String("key").pipe(
  Flag.withDescription("A name for it: said again under the same name, it is still made once"),
  Flag.optional
)

/** A name of its own where none is given: so a request that is repeated on the way is booked once. */
const headersOf = ({ key }: { readonly key: Option.Option<string> }) => ({
  "idempotency-key": Option.getOrElse(key, () => crypto.randomUUID())
})

const adjust = Command.make(
  "adjust",
  {
    ...connectionFlags,
    tenant: tenantArgument,
    currency: Argument.String("currency").pipe(Argument.withDescription("Such as USDT_TRON")),
    add: Flag.String("add").pipe(Flag.withDescription("So much is added to the float"), Flag.optional),
    take: Flag.String("take").pipe(Flag.withDescription("So much is taken from the float"), Flag.optional),
    against: Flag.Literals("against", againstAccounts).pipe(Flag.withDescription("Where the value stands")),
    reason: Flag.String("reason").pipe(Flag.withDescription("Why; it stands in the books")),
    key: keyFlag
  },
  Effect.fn(function* (options) {
    const amount = yield* amountOf(options.add, options.take)
    const { client, params } = yield* openTenant(options)
    const { against, currency, reason } = options
    const payload = { currency, amount, against, reason }
    yield* adjusted(options.json, yield* client.floats.adjust({ params, headers: headersOf(options), payload }))
  })
).pipe(
  Command.withDescription(
    "Correct a float; above the tenant's threshold it is proposed, and another operator approves it"
  ),
  Command.withExamples([
    {
      command: 'bursar float adjust acme USDT_TRON --add 1000 --against custodian --reason "Funded on 3 March"',
      description: "Add what was paid in at the custodian"
    }
  ])
)

const move = Command.make(
  "move",
  {
    ...connectionFlags,
    tenant: tenantArgument,
    currency: Argument.String("currency").pipe(Argument.withDescription("Such as USDT_TRON")),
    amount: Flag.String("amount").pipe(Flag.withDescription("How much has moved")),
    from: Flag.Literals("from", againstAccounts).pipe(Flag.withDescription("Where it stood")),
    to: Flag.Literals("to", againstAccounts).pipe(Flag.withDescription("Where it stands now")),
    reason: Flag.String("reason").pipe(Flag.withDescription("Why; it stands in the books")),
    key: keyFlag
  },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const { amount, currency, from, reason, to: against } = options
    const payload = { currency, amount, against, from, reason }
    yield* adjusted(options.json, yield* client.floats.adjust({ params, headers: headersOf(options), payload }))
  })
).pipe(
  Command.withDescription(
    "Record that value behind a float has moved from one place to another; above the tenant's threshold another operator approves it"
  ),
  Command.withExamples([
    {
      command:
        'bursar float move acme USDT_TRON --amount 1000 --from payout_wallet --to custodian --reason "Sent to the exchange on 3 March"',
      description: "Cover withdrawals and swaps with what stood in the payout wallet"
    }
  ])
)

const show = Command.make(
  "show",
  { ...connectionFlags, tenant: tenantArgument },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const { currencies } = yield* client.floats.show({ params })
    const rows = currencies.map(({ available, held, total }) => ({
      currency: total.currency,
      available: available.amount,
      held: held.amount,
      total: total.amount
    }))
    yield* printRows(options.json, options.json ? currencies : rows, "The tenant never had a balance.")
  })
).pipe(Command.withDescription("Show a float: available, held by operations in flight, and both together"))

const proposals = Command.make(
  "proposals",
  { ...connectionFlags, tenant: tenantArgument },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const { adjustments } = yield* client.floats.adjustments({ params })
    const rows = options.json ? adjustments : adjustments.map(row)
    yield* printRows(options.json, rows, "No adjustment was proposed for the tenant.")
  })
).pipe(Command.withDescription("List adjustments that were proposed, decided or not"))

const approve = Command.make(
  "approve",
  named,
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const path = { ...params, adjustment_id: options.adjustment }
    yield* adjusted(options.json, yield* client.floats.approve({ params: path }))
  })
).pipe(
  Command.withDescription("Approve what another operator has proposed; it is booked"),
  Command.withExamples([
    { command: "bursar float approve acme <id> --as bob", description: "Approve what alice has proposed" }
  ])
)

const reject = Command.make(
  "reject",
  { ...named, reason: Flag.String("reason").pipe(Flag.withDescription("Why")) },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const path = { ...params, adjustment_id: options.adjustment }
    const rejected = yield* client.floats.reject({ params: path, payload: { reason: options.reason } })
    yield* printRecord(options.json, options.json ? rejected : row(rejected))
  })
).pipe(Command.withDescription("Reject a proposal, or take your own back"))

/** `bursar float …` */
export const floatCommand = Command.make("float").pipe(
  Command.withDescription("Balances of tenants, and corrections of them"),
  Command.withSubcommands([adjust, move, show, proposals, approve, reject])
)
