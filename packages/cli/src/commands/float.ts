import { againstAccounts } from "@bursar/api/operator/againstAccounts"
import type { Adjusted, OperatorAdjustment } from "@bursar/api/operator/OperatorFloat"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CommandFailed } from "../config/CommandFailed.ts"
import { moneyText } from "./money.ts"
import { connectionFlags, openTenant, proposing, tenantArgument } from "./operator.ts"
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
  assigns: one.assigns,
  corrects: one.corrects,
  proposed_by: one.proposed_by,
  decided_by: one.decided_by,
  reason: one.reason,
  id: one.id
})

/** The signed amount that the flags give: one of the two, exactly. */
const amountOf = (add: Option.Option<string>, take: Option.Option<string>) => {
  if (Option.isSome(add) && Option.isNone(take)) return Effect.succeed(add.value)
  if (Option.isSome(take) && Option.isNone(add)) return Effect.succeed(`-${take.value}`)
  return Effect.fail(new CommandFailed({ message: "Name the amount with either --add or --take." }))
}

const keyFlag = Flag.String("key").pipe(
  Flag.withDescription("An idempotency key: the same command with the same key is executed only once"),
  Flag.optional
)

/** What commands need whose requests have idempotency keys. */
const keyed = Effect.promise(() => import("./underKey.ts"))

const assigning = { onNone: () => ({}), onSome: (assigns: string) => ({ assigns }) }

const correcting = { onNone: () => ({}), onSome: (corrects: string) => ({ corrects }) }

const adjust = Command.make(
  "adjust",
  {
    ...connectionFlags,
    tenant: tenantArgument,
    currency: Argument.String("currency").pipe(Argument.withDescription("Such as USDT_TRON")),
    add: Flag.String("add").pipe(Flag.withDescription("The amount to add to the float"), Flag.optional),
    take: Flag.String("take").pipe(Flag.withDescription("The amount to take from the float"), Flag.optional),
    against: Flag.Literals("against", againstAccounts).pipe(Flag.withDescription("The place that holds the value")),
    assigns: Flag.String("assigns").pipe(
      Flag.withDescription("The operation whose arrival in suspense this assigns: whole, and once"),
      Flag.optional
    ),
    corrects: Flag.String("corrects").pipe(
      Flag.withDescription("The operation of which this corrects what was booked at the custodian or the bank"),
      Flag.optional
    ),
    reason: Flag.String("reason").pipe(Flag.withDescription("The reason, which the ledger keeps")),
    key: keyFlag
  },
  Effect.fn(function* (options) {
    const amount = yield* amountOf(options.add, options.take)
    const { client, params } = yield* openTenant(options)
    const { against, assigns, corrects, currency, reason } = options
    const about = { ...Option.match(assigns, assigning), ...Option.match(corrects, correcting) }
    const payload = { currency, amount, against, ...about, reason }
    const { orProposed } = yield* proposing
    const { underKey } = yield* keyed
    const request = underKey(options.key, (headers) => client.floats.adjust({ params, headers, payload }))
    yield* adjusted(options.json, yield* orProposed(client)(request))
  })
).pipe(
  Command.withDescription("Correct a float; above the tenant's threshold another operator must approve it"),
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
    amount: Flag.String("amount").pipe(Flag.withDescription("The amount that has moved")),
    from: Flag.Literals("from", againstAccounts).pipe(Flag.withDescription("The previous place of the value")),
    to: Flag.Literals("to", againstAccounts).pipe(Flag.withDescription("The new place of the value")),
    reason: Flag.String("reason").pipe(Flag.withDescription("The reason, which the ledger keeps")),
    key: keyFlag
  },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const { amount, currency, from, reason, to: against } = options
    const payload = { currency, amount, against, from, reason }
    const { orProposed } = yield* proposing
    const { underKey } = yield* keyed
    const request = underKey(options.key, (headers) => client.floats.adjust({ params, headers, payload }))
    yield* adjusted(options.json, yield* orProposed(client)(request))
  })
).pipe(
  Command.withDescription(
    "Record that value behind a float has moved between places; above the tenant's threshold another operator must approve it"
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
).pipe(Command.withDescription("Show a float: available, held by operations in flight, and total"))

const proposals = Command.make(
  "proposals",
  { ...connectionFlags, tenant: tenantArgument },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const { adjustments } = yield* client.floats.adjustments({ params })
    const rows = options.json ? adjustments : adjustments.map(row)
    yield* printRows(options.json, rows, "No adjustment was proposed for the tenant.")
  })
).pipe(Command.withDescription("List proposed adjustments in any state"))

const approve = Command.make(
  "approve",
  named,
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const path = { ...params, adjustment_id: options.adjustment }
    const { orProposed } = yield* proposing
    yield* adjusted(options.json, yield* orProposed(client)(client.floats.approve({ params: path })))
  })
).pipe(
  Command.withDescription("Approve and book another operator's proposal"),
  Command.withExamples([
    { command: "bursar float approve acme <id> --as bob", description: "Approve a proposal of alice" }
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
).pipe(Command.withDescription("Reject a proposal, or withdraw your own"))

/** `bursar float …` */
export const floatCommand = Command.make("float").pipe(
  Command.withDescription("Balances of tenants, and their corrections"),
  Command.withSubcommands([adjust, move, show, proposals, approve, reject])
)
