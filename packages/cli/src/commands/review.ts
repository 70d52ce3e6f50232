import type { OperatorReview } from "@bursar/api/operator/OperatorReview"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { moneyText } from "./money.ts"
import { connect, connectionFlags, findTenant, openTenant, proposing, tenantArgument } from "./operator.ts"
import { printRecord, printRows } from "./print.ts"
import { tellUnreadable } from "./tellUnreadable.ts"

const named = {
  ...connectionFlags,
  tenant: tenantArgument,
  operation: Argument.String("operation").pipe(Argument.withDescription("The operation's id"))
}

const list = Command.make(
  "list",
  { ...connectionFlags, tenant: tenantArgument.pipe(Argument.optional) },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const tenants = yield* Option.match(options.tenant, {
      onNone: () => Effect.map(client.tenants.list(), (all) => all.tenants),
      onSome: (name) => Effect.map(findTenant(client, name), (one) => [one])
    })
    const found = yield* Effect.forEach(tenants, ({ id, slug }) =>
      Effect.flatMap(client.reviews.list({ params: { tenant_id: id } }), ({ reviews, unreadable }) =>
        Effect.as(
          tellUnreadable(unreadable),
          reviews.map((review) => ({ tenant: slug, ...review }))
        )
      )
    )
    const reviews = found.flat()
    const rows = reviews.map((one) => ({
      tenant: one.tenant,
      kind: one.kind,
      amount: moneyText(one.amount),
      usd: one.worth_usd,
      receiver: one.receiver,
      // beside the account and never in one text with it: a tenant can name somebody as if the name were an account
      name: one.receiver_name,
      bank: one.receiver_bank,
      memo: one.memo,
      new: one.new_receiver ? "yes" : "no",
      id: one.id
    }))
    yield* printRows(options.json, options.json ? reviews : rows, "Nothing waits for a review.")
  })
).pipe(Command.withDescription("List operations that wait for a review, of a tenant or of all"))

const told = (json: boolean, { amount, customer_fee, ...rest }: OperatorReview) =>
  printRecord(
    json,
    json
      ? { amount, customer_fee, ...rest }
      : {
          ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)),
          amount: moneyText(amount),
          fee: moneyText(customer_fee)
        }
  )

const approve = Command.make(
  "approve",
  named,
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const { orProposed } = yield* proposing
    const path = { params: { ...params, operation_id: options.operation } }
    yield* told(options.json, yield* orProposed(client)(client.reviews.approve(path)))
  })
).pipe(
  Command.withDescription(
    "Approve an operation in review; it is then sent. Where the service goes by grants, propose that"
  )
)

const cancel = Command.make(
  "cancel",
  named,
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    yield* told(options.json, yield* client.reviews.cancel({ params: { ...params, operation_id: options.operation } }))
  })
).pipe(Command.withDescription("Cancel an operation in review; it fails, and its hold is released"))

const reject = Command.make(
  "reject",
  { ...named, reason: Flag.String("reason").pipe(Flag.withDescription("Why")) },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const path = { params: { ...params, operation_id: options.operation } }
    yield* told(options.json, yield* client.reviews.reject({ ...path, payload: { reason: options.reason } }))
  })
).pipe(Command.withDescription("Reject an operation in review; it fails, and its hold is released"))

/** `bursar review …` */
export const reviewCommand = Command.make("review").pipe(
  Command.withDescription("Outgoing operations of every kind that wait for a review"),
  Command.withSubcommands([list, approve, reject, cancel])
)
