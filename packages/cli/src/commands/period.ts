import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { CommandFailed } from "../config/CommandFailed.ts"
import { cutBack, writeFile, writeOut } from "./exportFile.ts"
import { connect, connectionFlags, findTenant } from "./operator.ts"
import { printRecord, printRows } from "./print.ts"

const tenantFlag = Flag.String("tenant").pipe(
  Flag.withDescription("Slug or id of the tenant; by default all tenants, and the operator's own statement"),
  Flag.optional
)

const flags = {
  ...connectionFlags,
  tenant: tenantFlag,
  period: Flag.String("period").pipe(Flag.withDescription("A month in UTC that is over, such as 2026-10"))
}

/** A client, and the path of the tenant where one is named. */
const openBooks = Effect.fn("period.openBooks")(function* (
  options: Parameters<typeof connect>[0] & { readonly tenant: Option.Option<string> }
) {
  const client = yield* connect(options)
  if (Option.isNone(options.tenant)) return { client, tenantId: undefined }
  const { id } = yield* findTenant(client, options.tenant.value)
  return { client, tenantId: id }
})

const close = Command.make(
  "close",
  flags,
  Effect.fn(function* (options) {
    const { period } = options
    const { client, tenantId } = yield* openBooks(options)
    const closed = yield* tenantId === undefined
      ? client.books.closeService({ params: { period } })
      : client.books.close({ params: { tenant_id: tenantId, period } })
    yield* printRecord(options.json, closed)
  })
).pipe(
  Command.withDescription("Fix the statement of a month; what is booked later is in a later one"),
  Command.withExamples([
    { command: "bursar period close --tenant acme --period 2026-10", description: "Close October for one tenant" },
    { command: "bursar period close --period 2026-10", description: "Close October for all, and the operator's own" }
  ])
)

const list = Command.make(
  "list",
  { ...connectionFlags, tenant: tenantFlag },
  Effect.fn(function* (options) {
    const { client, tenantId } = yield* openBooks(options)
    const { periods } = yield* tenantId === undefined
      ? client.books.servicePeriods()
      : client.books.periods({ params: { tenant_id: tenantId } })
    yield* printRows(options.json, periods, "No period is closed yet.")
  })
).pipe(Command.withDescription("List the months that are closed"))

const statement = Command.make(
  "statement",
  {
    ...flags,
    format: Flag.Literals("format", ["csv", "pdf"]).pipe(
      Flag.withDescription("How the statement is written"),
      Flag.withDefault("csv")
    ),
    out: Flag.String("out").pipe(
      Flag.withDescription("The file to write; by default the standard output"),
      Flag.optional
    )
  },
  Effect.fn(function* (options) {
    const { format, out, period } = options
    const { client, tenantId } = yield* openBooks(options)
    const query = { format: format === "pdf" ? ("pdf" as const) : ("csv" as const) }
    const bytes = yield* tenantId === undefined
      ? client.books.serviceStatement({ params: { period }, query })
      : client.books.statement({ params: { tenant_id: tenantId, period }, query })
    if (Option.isNone(out)) return yield* writeOut(bytes)
    yield* cutBack(out.value, { posting: null })
    yield* writeFile(out.value, bytes)
  })
).pipe(
  Command.withDescription("Write the statement of a closed month"),
  Command.withExamples([
    {
      command: "bursar period statement --tenant acme --period 2026-10 --format pdf --out october.pdf",
      description: "October as PDF"
    }
  ])
)

const verify = Command.make(
  "verify",
  flags,
  Effect.fn(function* (options) {
    const { period } = options
    const { client, tenantId } = yield* openBooks(options)
    const report = yield* tenantId === undefined
      ? client.books.verifyService({ params: { period } })
      : client.books.verify({ params: { tenant_id: tenantId, period } })
    yield* printRecord(options.json, report)
    if (!report.ok) return yield* new CommandFailed({ message: report.problem ?? "The statement does not verify." })
  })
).pipe(Command.withDescription("Compare the statement of a closed month with the ledger and the audit log"))

/** `bursar period …` */
export const periodCommand = Command.make("period").pipe(
  Command.withDescription("Months whose statements are fixed"),
  Command.withSubcommands([close, list, statement, verify])
)
