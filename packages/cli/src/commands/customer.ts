import type { OperatorCustomer } from "@bursar/api/operator/OperatorCustomer"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CommandFailed } from "../config/CommandFailed.ts"
import { connectionFlags, given, openTenant, tenantArgument } from "./operator.ts"
import { printNext, printRecord, printRows } from "./print.ts"
import { tellUnreadable } from "./tellUnreadable.ts"

const limit = Flag.Int("limit").pipe(Flag.withDescription("At most so many, newest first"), Flag.withDefault(50))

const customer = Argument.String("customer").pipe(Argument.withDescription("The id of the customer"))

const row = ({ country, created_at, external_id, id, provider, verification }: OperatorCustomer) => ({
  created_at,
  external_id,
  country,
  verification: verification.status,
  capabilities: verification.capabilities,
  provider,
  id
})

const list = Command.make(
  "list",
  {
    ...connectionFlags,
    tenant: tenantArgument,
    externalId: Flag.String("external-id").pipe(Flag.withDescription("The tenant's own id of one"), Flag.optional),
    after: Flag.String("after").pipe(Flag.withDescription("The last id of the page before"), Flag.optional),
    limit
  },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const query = {
      limit: options.limit,
      ...given("external_id", options.externalId),
      ...given("after", options.after)
    }
    const { customers } = yield* client.customers.list({ params, query })
    yield* printRows(options.json, options.json ? customers : customers.map(row), "No customer was found.")
    yield* printNext(customers, options.limit)
  })
).pipe(Command.withDescription("List a tenant's customers with their identity checks"))

const show = Command.make(
  "show",
  { ...connectionFlags, tenant: tenantArgument, customer },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const found = yield* client.customers.get({ params: { ...params, customer_id: options.customer } })
    if (options.json) return yield* printRecord(true, found)
    yield* printRecord(false, { ...row(found.customer), verification: found.customer.verification })
    const accounts = found.accounts.map(({ balance, currency, iban, id, provider, status }) => ({
      currency,
      status,
      iban,
      balance: balance.amount,
      provider,
      id
    }))
    yield* printRows(false, accounts, "It has no fiat account.")
  })
).pipe(Command.withDescription("Show a customer with its identity check and fiat accounts"))

const endCheck = Command.make(
  "end-check",
  {
    ...connectionFlags,
    tenant: tenantArgument,
    customer,
    reason: Flag.String("reason").pipe(Flag.withDescription("The reason, which the audit log keeps"))
  },
  Effect.fn(function* (options) {
    const { client, params: of } = yield* openTenant(options)
    const params = { ...of, customer_id: options.customer }
    const { customer: found } = yield* client.customers.get({ params })
    const { applicant_id: applicant } = found.verification
    if (applicant === null) return yield* new CommandFailed({ message: "The customer has no identity check." })
    const ended = yield* client.customers.endCheck({
      params,
      payload: { applicant_id: applicant, reason: options.reason }
    })
    yield* printRecord(options.json, { ...row(ended), verification: ended.verification })
  })
).pipe(
  Command.withDescription(
    "End the approval of a customer whose applicant the identity provider has deleted; one that the provider still tells of counts again"
  )
)

const operations = Command.make(
  "operations",
  { ...connectionFlags, tenant: tenantArgument, customer, limit },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const query = { limit: options.limit }
    const found = yield* client.customers.operations({ params: { ...params, customer_id: options.customer }, query })
    const rows = found.operations.map(({ amount, created_at, id, kind, status }) => ({
      created_at,
      kind,
      status,
      amount: `${amount.amount} ${amount.currency}`,
      id
    }))
    yield* printRows(options.json, options.json ? found.operations : rows, "The customer has no operation.")
    yield* tellUnreadable(found.unreadable)
  })
).pipe(Command.withDescription("List a customer's transfers, conversions and payouts"))

const entries = Command.make(
  "entries",
  {
    ...connectionFlags,
    tenant: tenantArgument,
    account: Argument.String("account").pipe(Argument.withDescription("The id of the fiat account")),
    limit
  },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const query = { limit: options.limit }
    const found = yield* client.customers.entries({ params: { ...params, account_id: options.account }, query })
    const rows = found.entries.map(({ amount, balance, description, direction, id, operation_id, posted_at }) => ({
      id,
      posted_at,
      direction,
      amount: amount.amount,
      balance: balance.amount,
      description,
      operation_id
    }))
    yield* printRows(options.json, options.json ? found.entries : rows, "Nothing was booked on the account.")
  })
).pipe(Command.withDescription("List the entries of a fiat account"))

/** `bursar customer …` */
export const customerCommand = Command.make("customer").pipe(
  Command.withDescription("Customers of tenants, their identity checks and fiat accounts"),
  Command.withSubcommands([list, show, endCheck, operations, entries])
)
