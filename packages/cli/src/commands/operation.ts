import type { OperatorOperation, OperatorOperationDetail } from "@bursar/api/operator/OperatorOperation"
import { printable } from "@bursar/api/wire/printable"
import { operationKinds, operationStatuses } from "@bursar/core/operation/Operation"
import { Clock, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { moneyText } from "./money.ts"
import { connect, connectionFlags, findTenant, given, tenantArgument } from "./operator.ts"
import { resolve } from "./operationResolve.ts"
import { named, openOperation, told } from "./operationShow.ts"
import { exportOperations } from "./operationExport.ts"
import { tail } from "./operationTail.ts"
import { printRecord, printRows, printText } from "./print.ts"
import { tellUnreadable } from "./tellUnreadable.ts"

const hourMs = 3_600_000

const statusOf = ({ contradiction, status, unresolved }: OperatorOperation): string =>
  contradiction === null ? (unresolved ? `${status} (unresolved)` : status) : `${status} (contradicted)`

const row = (one: OperatorOperation) => ({
  tenant: one.tenant,
  kind: one.kind,
  status: statusOf(one),
  amount: moneyText(one.amount),
  provider: one.provider ?? one.network,
  problem: one.contradiction?.said ?? one.waits?.reason ?? one.unresolved_because,
  created_at: one.created_at,
  id: one.id
})

const list = Command.make(
  "list",
  {
    ...connectionFlags,
    tenant: tenantArgument.pipe(Argument.optional),
    kind: Flag.Literals("kind", operationKinds).pipe(Flag.withDescription("Such as WITHDRAWAL"), Flag.optional),
    status: Flag.Literals("status", operationStatuses).pipe(Flag.withDescription("Such as IN_REVIEW"), Flag.optional),
    unresolved: Flag.Boolean("unresolved").pipe(
      Flag.withDescription("Only those whose outcome is not known"),
      Flag.withDefault(false)
    ),
    contradicted: Flag.Boolean("contradicted").pipe(
      Flag.withDescription("Only those of which something else than what is booked was said, until that is closed"),
      Flag.withDefault(false)
    ),
    waiting: Flag.String("waiting").pipe(
      Flag.withDescription("Only those that wait for this reason, such as signing_key_revoked"),
      Flag.optional
    ),
    provider: Flag.String("provider").pipe(Flag.withDescription("Only those of a provider"), Flag.optional),
    network: Flag.String("network").pipe(Flag.withDescription("Only those on a network"), Flag.optional),
    currency: Flag.String("currency").pipe(Flag.withDescription("Only those of a currency"), Flag.optional),
    txHash: Flag.String("tx-hash").pipe(Flag.withDescription("Only that of a transaction"), Flag.optional),
    olderThanHours: Flag.Int("older-than-hours").pipe(
      Flag.withDescription("Only those that are at least this old"),
      Flag.optional
    ),
    oldest: Flag.Boolean("oldest").pipe(Flag.withDescription("Oldest first"), Flag.withDefault(false)),
    cursor: Flag.String("cursor").pipe(Flag.withDescription("Continue after a printed page"), Flag.optional),
    limit: Flag.Int("limit").pipe(Flag.withDescription("How many, newest first"), Flag.withDefault(50))
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const tenant = yield* Option.match(options.tenant, {
      onNone: () => Effect.succeedNone,
      onSome: (name) => Effect.map(findTenant(client, name), ({ id }) => Option.some(id))
    })
    const now = yield* Clock.currentTimeMillis
    const before = Option.map(options.olderThanHours, (hours) => new Date(now - hours * hourMs).toISOString())
    const { next_cursor, operations, unreadable } = yield* client.operations.list({
      query: {
        limit: options.limit,
        order: options.oldest ? "oldest" : "newest",
        ...given("tenant_id", tenant),
        ...given("kind", options.kind),
        ...given("status", options.status),
        ...given("waiting_reason", options.waiting),
        ...given("provider", options.provider),
        ...given("network", options.network),
        ...given("currency", options.currency),
        ...given("tx_hash", options.txHash),
        ...given("created_before", before),
        ...given("cursor", options.cursor),
        ...(options.unresolved ? { unresolved: true } : {}),
        ...(options.contradicted ? { contradicted: "true" as const } : {})
      }
    })
    if (options.json) return yield* printRecord(true, { operations, unreadable, next_cursor })
    yield* printRows(false, operations.map(row), "There are no such operations.")
    yield* tellUnreadable(unreadable)
    if (next_cursor !== null) yield* printText(`\nThere are more: --cursor ${printable(next_cursor)}`)
    return undefined
  })
).pipe(
  Command.withDescription("List operations of every kind, of a tenant or of all"),
  Command.withExamples([
    { command: "bursar operation list --unresolved --oldest", description: "Operations that need attention" },
    {
      command: "bursar operation list --waiting destination_not_usable",
      description: "Operations that wait for this reason"
    }
  ])
)

const show = Command.make(
  "show",
  named,
  Effect.fn(function* (options) {
    const { client, path } = yield* openOperation(options)
    yield* told(options.json, yield* client.operations.get(path))
  })
).pipe(
  Command.withDescription(
    "Show everything about an operation: what happened, who did it, its ledger entries and evidence"
  )
)

const evidence = Command.make(
  "evidence",
  {
    ...named,
    note: Flag.String("note").pipe(Flag.withDescription("What you know, and from where")),
    tx: Flag.String("tx").pipe(
      Flag.withDescription("A transaction that may have paid it (chain payouts, withdrawals)"),
      Flag.optional
    )
  },
  Effect.fn(function* (options) {
    const { client, path } = yield* openOperation(options)
    const payload = { note: options.note, ...given("tx_hash", options.tx) }
    yield* told(options.json, yield* client.operations.attachEvidence({ ...path, payload }))
  })
).pipe(Command.withDescription("Add evidence to an operation; the service looks up a transaction on the chain"))

const resolutionArgument = Argument.String("resolution").pipe(Argument.withDescription("The resolution's id"))

const approve = Command.make(
  "approve",
  { ...named, resolution: resolutionArgument },
  Effect.fn(function* (options) {
    const { client, path } = yield* openOperation(options)
    const params = { ...path.params, resolution_id: options.resolution }
    yield* told(options.json, yield* client.operations.approveResolution({ params }))
  })
).pipe(
  Command.withDescription("Approve another operator's resolution, which ends the operation"),
  Command.withExamples([
    { command: "bursar operation approve acme <id> <resolution> --as bob", description: "Approve a proposal of alice" }
  ])
)

const reject = Command.make(
  "reject",
  {
    ...named,
    resolution: resolutionArgument,
    reason: Flag.String("reason").pipe(Flag.withDescription("Why"))
  },
  Effect.fn(function* (options) {
    const { client, path } = yield* openOperation(options)
    const params = { ...path.params, resolution_id: options.resolution }
    yield* told(
      options.json,
      yield* client.operations.rejectResolution({ params, payload: { reason: options.reason } })
    )
  })
).pipe(Command.withDescription("Reject a resolution, or withdraw your own"))

const closeContradiction = Command.make(
  "close-contradiction",
  {
    ...named,
    contradiction: Argument.String("contradiction").pipe(
      Argument.withDescription("The contradiction's id, as `bursar operation show` prints it")
    ),
    reason: Flag.String("reason").pipe(Flag.withDescription("What you found out, and what was done about it"))
  },
  Effect.fn(function* (options) {
    const { client, path } = yield* openOperation(options)
    const { contradiction, reason } = options
    yield* told(
      options.json,
      yield* client.operations.closeContradiction({ ...path, payload: { contradiction, reason } })
    )
  })
).pipe(
  Command.withDescription("Say that what contradicts an operation is dealt with; nothing moves"),
  Command.withExamples([
    {
      command: 'bursar operation close-contradiction acme <id> <contradiction> --reason "Ticket 4711: sent back."',
      description: "Close what you were shown, and nothing that was said since"
    }
  ])
)

const cancelledText = {
  cancelled: "The operation is cancelled.\n",
  trying:
    "Something was signed: a transaction that pays nothing takes its place if it can, and the chain decides which comes to be.\n"
}

const cancel = Command.make(
  "cancel",
  named,
  Effect.fn(function* (options) {
    const { client, path } = yield* openOperation(options)
    const cancelled: { readonly state: "cancelled" | "trying"; readonly operation: OperatorOperationDetail } =
      yield* client.operations.cancel(path)
    if (options.json) return yield* printRecord(true, cancelled)
    yield* printText(cancelledText[cancelled.state])
    return yield* told(false, cancelled.operation)
  })
).pipe(Command.withDescription("Cancel an operation that was not sent; it fails, and its hold is released"))

/** `bursar operation …` */
export const operationCommand = Command.make("operation").pipe(
  Command.withDescription("Operations of every kind: find those that wait or are unresolved, and act on them"),
  Command.withSubcommands([
    list,
    exportOperations,
    tail,
    show,
    evidence,
    resolve,
    approve,
    reject,
    closeContradiction,
    cancel
  ])
)
