import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { connect, connectionFlags, findTenant, openTenant, tenantArgument } from "./operator.ts"
import { printRecord, printRows } from "./print.ts"

const names = {
  tenant: Argument.String("tenant").pipe(Argument.withDescription("Slug or id of the tenant")),
  address: Argument.String("address").pipe(Argument.withDescription("The id of the deposit address"))
}

const hold = Command.make(
  "hold",
  {
    ...connectionFlags,
    ...names,
    reason: Flag.String("reason").pipe(Flag.withDescription("The reason, which the tenant sees"))
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { id } = yield* findTenant(client, options.tenant)
    const params = { tenant_id: id, address_id: options.address }
    yield* printRecord(options.json, yield* client.addresses.hold({ params, payload: { reason: options.reason } }))
  })
).pipe(Command.withDescription("Stop the sweeping of an address, even if its tenant releases it"))

const release = Command.make(
  "release",
  { ...connectionFlags, ...names },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { id } = yield* findTenant(client, options.tenant)
    const params = { tenant_id: id, address_id: options.address }
    yield* printRecord(options.json, yield* client.addresses.release({ params }))
  })
).pipe(Command.withDescription("End a hold of an operator or of the service"))

const conflicts = Command.make(
  "conflicts",
  connectionFlags,
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const found = yield* client.addresses.keyConflicts({ query: {} })
    yield* printRows(options.json, found.conflicts, "Nothing lost its key to another tenant.")
  })
).pipe(
  Command.withDescription("List addresses and keys that a tenant lost because their key belongs to another tenant")
)

const account = Command.make(
  "account",
  {
    ...connectionFlags,
    tenant: tenantArgument,
    network: Argument.String("network").pipe(Argument.withDescription("Such as ethereum"))
  },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    yield* printRecord(
      options.json,
      yield* client.addresses.prepareIssuing({ params, payload: { network: options.network } })
    )
  })
).pipe(
  Command.withDescription("Show the account that a tenant's addresses are issued from, to grant it before the first"),
  Command.withExamples([
    {
      command: "bursar address account acme ethereum",
      description: "Then propose its family, seed_id and account_key as a grant of the kind issuing_account"
    }
  ])
)

/** `bursar address …` */
export const addressCommand = Command.make("address").pipe(
  Command.withDescription("Deposit addresses"),
  Command.withSubcommands([account, hold, release, conflicts])
)
