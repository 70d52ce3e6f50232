import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { connect, connectionFlags, findTenant } from "./operator.ts"
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
    reason: Flag.String("reason").pipe(Flag.withDescription("Why; the tenant sees it"))
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { id } = yield* findTenant(client, options.tenant)
    const params = { tenant_id: id, address_id: options.address }
    yield* printRecord(options.json, yield* client.addresses.hold({ params, payload: { reason: options.reason } }))
  })
).pipe(Command.withDescription("Keep an address from being swept, whatever its tenant releases"))

const release = Command.make(
  "release",
  { ...connectionFlags, ...names },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { id } = yield* findTenant(client, options.tenant)
    const params = { tenant_id: id, address_id: options.address }
    yield* printRecord(options.json, yield* client.addresses.release({ params }))
  })
).pipe(Command.withDescription("End an operator's hold, or one that the service placed"))

const conflicts = Command.make(
  "conflicts",
  connectionFlags,
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const found = yield* client.addresses.keyConflicts({ query: {} })
    yield* printRows(options.json, found.conflicts, "Nothing lost its key to another tenant.")
  })
).pipe(Command.withDescription("List addresses and keys that another tenant was found to have, and keeps"))

/** `bursar address …` */
export const addressCommand = Command.make("address").pipe(
  Command.withDescription("Deposit addresses"),
  Command.withSubcommands([hold, release, conflicts])
)
