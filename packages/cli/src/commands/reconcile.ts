import type { ReconciliationBreak } from "@bursar/api/operator/OperatorReconciliation"
import type { KeptStatementLine } from "@bursar/api/operator/OperatorStatement"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { connect, connectionFlags, given, proposing } from "./operator.ts"
import { placeRow } from "./placeRow.ts"
import { printRecord, printRows, printText } from "./print.ts"
import { stoppedAtFlag } from "./stoppedAtFlag.ts"

const breakRow = (one: ReconciliationBreak) => ({
  break: one.id,
  place: one.place,
  difference: `${one.difference.amount} ${one.currency}`,
  since: one.since,
  state: one.state,
  note: one.note,
  about: one.about === null ? null : `${one.about.kind} ${one.about.id}`,
  candidates: one.candidates.map(({ id }) => id)
})

const explain = Command.make(
  "explain",
  {
    ...connectionFlags,
    id: Argument.String("break").pipe(Argument.withDescription("The break's id")),
    note: Flag.String("note").pipe(Flag.withDescription("Why it is there"))
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const params = { break_id: options.id }
    const explained = yield* client.reconciliation.explain({ params, payload: { note: options.note } })
    yield* printRecord(options.json, options.json ? explained : breakRow(explained))
  })
).pipe(Command.withDescription("Note why a break is there, so that it alarms nobody any more"))

const placeArgument = Argument.String("place").pipe(
  Argument.withDescription("Such as custodian:kraken, bank:bridge or chain:ethereum:payouts")
)

const stop = Command.make(
  "stop",
  {
    ...connectionFlags,
    place: placeArgument,
    reason: Flag.String("reason").pipe(Flag.withDescription("The reason, which operators see"))
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { place, reason } = options
    const { stops } = yield* client.reconciliation.stopPlace({ params: { place }, payload: { reason } })
    yield* printRows(options.json, stops, "Nothing is stopped.")
  })
).pipe(Command.withDescription("Send nothing more from a place, for all tenants and at once"))

const resume = Command.make(
  "resume",
  { ...connectionFlags, ...stoppedAtFlag, place: placeArgument },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { orProposed } = yield* proposing
    const request = client.reconciliation.resumePlace({
      params: { place: options.place },
      query: given("stopped_at", options.stoppedAt)
    })
    const { stops } = yield* orProposed(client)(request)
    yield* printRows(options.json, stops, "Nothing is stopped.")
  })
).pipe(Command.withDescription("Send again from a place that was stopped"))

const stops = Command.make(
  "stops",
  connectionFlags,
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    yield* printRows(options.json, (yield* client.reconciliation.show()).stops, "Nothing is stopped.")
  })
).pipe(Command.withDescription("Show the places from which nothing is sent"))

const breaks = Command.make(
  "breaks",
  connectionFlags,
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { breaks: found } = yield* client.reconciliation.breaks({ query: {} })
    yield* printRows(options.json, options.json ? found : found.map(breakRow), "There has been no break.")
  })
).pipe(Command.withDescription("Show open and closed breaks, newest first"))

const show = Command.make(
  "reconcile",
  connectionFlags,
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const found = yield* client.reconciliation.show()
    if (options.json) return yield* printRecord(true, { breaks: found.breaks, places: found.places })
    const { networks } = yield* client.health.networks()
    const rows = found.places.map((one) => placeRow(one, networks))
    yield* printRows(false, rows, "Nothing has been observed yet.")
    yield* printText("")
    if (found.stops.length > 0) {
      yield* printRows(false, found.stops, "")
      yield* printText("")
    }
    return yield* printRows(false, found.breaks.map(breakRow), "No break is open.")
  })
).pipe(Command.withDescription("Compare the books with the chains, the custodian and the bank"))

const flagOf = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

const importCommand = Command.make(
  "import",
  {
    ...connectionFlags,
    place: Flag.String("place").pipe(Flag.withDescription("Whose books they are, such as bank:bridge")),
    format: Flag.Literals("format", ["camt053", "csv"]).pipe(Flag.withDescription("How the file is written")),
    account: flagOf("account", "CAMT.053: the IBAN, or other name, of the account that the file must be of"),
    mapping: flagOf("mapping", "CSV: a JSON file that says which column is what"),
    statement: flagOf("statement", "CSV: the statement's id"),
    from: flagOf("from", "CSV: where the statement's period begins, such as 2026-11-01"),
    to: flagOf("to", "CSV: where it ends; that day is not in it"),
    file: Argument.String("file").pipe(Argument.withDescription("The statement"))
  },
  Effect.fn(function* (options) {
    const { readStatements, requestsOf } = yield* Effect.promise(() => import("./statementFile.ts"))
    const statements = yield* readStatements(options)
    const client = yield* connect(options)
    const done = yield* Effect.forEach(statements, (one) =>
      Effect.gen(function* () {
        const requests = yield* requestsOf(options.place, one)
        const answers = yield* Effect.forEach(requests, (payload) => client.reconciliation.importStatement({ payload }))
        return {
          statement: one.id,
          lines: one.lines.length,
          added: answers.reduce((sum, { added }) => sum + added, 0),
          known: answers.reduce((sum, { known }) => sum + known, 0),
          pending: one.pending
        }
      })
    )
    yield* printRows(options.json, done, "There was no statement in it.")
  })
).pipe(
  Command.withDescription("Import a provider's statement: the worker compares it with the books, line by line"),
  Command.withExamples([
    {
      command:
        "bursar reconcile import --place bank:bridge --format camt053 --account DE89370400440532013000 2026-11.xml",
      description: "A bank's statement"
    },
    {
      command:
        "bursar reconcile import --place custodian:kraken --format csv --mapping kraken.json --statement 2026-11 --from 2026-11-01 --to 2026-12-01 ledgers.csv",
      description: "An exchange's ledger"
    }
  ])
)

const lineRow = (one: KeptStatementLine) => ({
  line: one.id,
  at: one.at,
  amount: `${one.amount.amount} ${one.amount.currency}`,
  references: one.references,
  text: one.text,
  statement: one.statement
})

const lines = Command.make(
  "lines",
  {
    ...connectionFlags,
    place: Argument.String("place").pipe(Argument.withDescription("Such as bank:bridge")),
    operation: flagOf(
      "operation",
      "Those that are about an operation; without it those that are about none that is known"
    )
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const query = {
      place: options.place,
      ...Option.match(options.operation, { onNone: () => ({}), onSome: (operation_id) => ({ operation_id }) })
    }
    const found = yield* client.reconciliation.statementLines({ query })
    yield* printRows(options.json, options.json ? found.lines : found.lines.map(lineRow), "There is no such line.")
  })
).pipe(Command.withDescription("Show lines of a provider's statements"))

const statements = Command.make(
  "statements",
  { ...connectionFlags, place: Argument.String("place").pipe(Argument.withDescription("Such as bank:bridge")) },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { statements: found } = yield* client.reconciliation.statements({ query: { place: options.place } })
    yield* printRows(options.json, found, "There is no statement of that place.")
  })
).pipe(Command.withDescription("Show the statements of a place, newest first"))

/** `bursar reconcile` */
export const reconcileCommand: typeof show = show.pipe(
  Command.withSubcommands([breaks, explain, stop, resume, stops, importCommand, lines, statements])
)
