import type { OperatorSweep } from "@bursar/api/operator/OperatorSweep"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { connectionFlags, given, openTenant, tenantArgument } from "./operator.ts"
import { printNext, printRecord, printRows } from "./print.ts"

const row = ({ address, amount, created_at, id, network, problem, state }: OperatorSweep) => ({
  created_at,
  state,
  network,
  address,
  amount: `${amount.amount} ${amount.currency}`,
  problem,
  id
})

const list = Command.make(
  "list",
  {
    ...connectionFlags,
    tenant: tenantArgument,
    open: Flag.Boolean("open").pipe(Flag.withDescription("Only those under way"), Flag.withDefault(false)),
    address: Flag.String("address").pipe(Flag.withDescription("Only of the address with this id"), Flag.optional),
    after: Flag.String("after").pipe(Flag.withDescription("The last id of the page before"), Flag.optional),
    limit: Flag.Int("limit").pipe(Flag.withDescription("At most so many, newest first"), Flag.withDefault(50))
  },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const query = {
      limit: options.limit,
      ...(options.open && { open: true }),
      ...given("address_id", options.address),
      ...given("after", options.after)
    }
    const { sweeps } = yield* client.sweeps.list({ params, query })
    yield* printRows(options.json, options.json ? sweeps : sweeps.map(row), "Nothing was swept.")
    yield* printNext(sweeps, options.limit)
  })
).pipe(Command.withDescription("List what was moved from a tenant's addresses to its wallets"))

const show = Command.make(
  "show",
  {
    ...connectionFlags,
    tenant: tenantArgument,
    sweep: Argument.String("sweep").pipe(Argument.withDescription("The id of the sweep"))
  },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const found = yield* client.sweeps.get({ params: { ...params, sweep_id: options.sweep } })
    if (options.json) return yield* printRecord(true, found)
    yield* printRecord(false, { ...row(found.sweep), ended_at: found.sweep.ended_at, closed_at: found.sweep.closed_at })
    yield* printRows(false, found.transactions, "Nothing was signed for it yet.")
  })
).pipe(Command.withDescription("Show a sweep with its transactions"))

/** `bursar sweep …` */
export const sweepCommand = Command.make("sweep").pipe(
  Command.withDescription("Sweeps: from deposit addresses to payout wallets"),
  Command.withSubcommands([list, show])
)
