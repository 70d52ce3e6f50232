import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { CommandFailed } from "../config/CommandFailed.ts"
import { connect, connectionFlags, given } from "./operator.ts"
import { printRecord, printRows } from "./print.ts"
import { type AuditQuery, endedOf, readAudit } from "./readAudit.ts"

const list = Command.make(
  "list",
  {
    ...connectionFlags,
    by: Flag.String("by").pipe(Flag.withDescription("Only what this operator did"), Flag.optional),
    before: Flag.Int("before").pipe(
      Flag.withDescription("Only records before this id, for the next page"),
      Flag.optional
    ),
    limit: Flag.Int("limit").pipe(Flag.withDescription("How many records, newest first"), Flag.withDefault(50)),
    all: Flag.Boolean("all").pipe(Flag.withDescription("Every record down to the first"), Flag.withDefault(false))
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const limit = options.all ? Infinity : options.limit
    const query = { limit, ...given("operator", options.by), ...given("before", options.before) }
    const read = (page: AuditQuery) => client.audit.list({ query: page })
    const { entries, isMore } = yield* readAudit(read, query)
    const ended = yield* endedOf(read, query, entries)
    // the record before an action says nothing more than the one after, unless somebody has made it unreadable
    const rows = entries
      .filter(({ action_id, problem, status }) => status !== null || problem !== null || !ended.has(action_id))
      .map((entry) => ({
        id: entry.id,
        at: entry.at,
        operator: entry.operator,
        role: entry.role,
        status: entry.status ?? "not finished",
        action: `${entry.method} ${entry.route.replace("/operator/v1", "")}`,
        of: entry.problem ?? Object.values(entry.params)
      }))
    const empty = entries.length === 0 ? "There is no such record." : "These are actions that stand on the page before."
    yield* printRows(options.json, options.json ? entries : rows, empty)
    // beside the records: a program reads nothing else there
    if (isMore) yield* Console.error(`There are more: --before ${entries.at(-1)?.id}, or --all`)
  })
).pipe(
  Command.withDescription("List what operators did"),
  Command.withExamples([
    { command: "bursar audit list --by alice", description: "What alice did last" },
    { command: "bursar audit list --by alice --all", description: "All that alice ever did" }
  ])
)

const verify = Command.make(
  "verify",
  {
    ...connectionFlags,
    anchor: Flag.String("anchor").pipe(
      Flag.withDescription("A head that you noted earlier, to detect records that were cut off since"),
      Flag.optional
    )
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const report = yield* client.audit.verify({ query: given("anchor", options.anchor) })
    yield* printRecord(options.json, report)
    if (report.ok) return
    const cutOff = Option.isSome(options.anchor) && report.anchor_found === false
    return yield* new CommandFailed({
      message: report.first_wrong ?? (cutOff ? "The anchor is not in the log: records were cut off or replaced." : "")
    })
  })
).pipe(
  Command.withDescription("Verify the chain of records: that none was changed, removed or inserted"),
  Command.withExamples([
    { command: "bursar audit verify", description: "Note the head in another place" },
    { command: "bursar audit verify --anchor <head>", description: "Later: nothing was cut off since" }
  ])
)

/** `bursar audit …` */
export const auditCommand = Command.make("audit").pipe(
  Command.withDescription("The append-only log of what operators did"),
  Command.withSubcommands([list, verify])
)
