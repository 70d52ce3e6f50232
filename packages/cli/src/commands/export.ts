import { exportThroughHeader } from "@bursar/api/operator/BooksGroup"
import { exportFormats } from "@bursar/api/operator/OperatorBooks"
import { formats } from "@bursar/books/formats"
import { Console, Effect, FileSystem, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { CommandFailed } from "../config/CommandFailed.ts"
import { exportAgain } from "./exportAgain.ts"
import { cutBack, partOf, withProgress, writeFile, writeOut } from "./exportFile.ts"
import { connectionFlags, given, openTenant } from "./operator.ts"

/** A day means its beginning in UTC. */
const momentOf = (text: Option.Option<string>): Option.Option<string> =>
  Option.map(text, (day) => (/^\d{4}-\d\d-\d\d$/u.test(day) ? `${day}T00:00:00Z` : day))

/** Says where stands what an export has written that did not end, if there is any. */
const sayWhatIsThere = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const part = partOf(file)
  if (yield* Effect.orElseSucceed(fs.exists(part), () => false)) yield* Console.error(`What is there is in ${part}.`)
})

/** `bursar export` */
export const exportCommand = Command.make(
  "export",
  {
    ...connectionFlags,
    tenant: Flag.String("tenant").pipe(Flag.withDescription("Slug or id of the tenant")),
    format: Flag.Literals("format", exportFormats).pipe(Flag.withDescription("The program or format to write for")),
    period: Flag.String("period").pipe(Flag.withDescription("A month in UTC, such as 2026-10"), Flag.optional),
    from: Flag.String("from").pipe(Flag.withDescription("A day or an RFC 3339 date-time, included"), Flag.optional),
    to: Flag.String("to").pipe(Flag.withDescription("A day or an RFC 3339 date-time, not included"), Flag.optional),
    through: Flag.Int("through").pipe(
      Flag.withDescription("The last posting; to continue an export, the one that it named"),
      Flag.optional
    ),
    out: Flag.String("out").pipe(
      Flag.withDescription("The file to write; by default the standard output"),
      Flag.optional
    ),
    resume: Flag.Boolean("resume").pipe(
      Flag.withDescription("Continue the file that an export was writing when it was stopped"),
      Flag.withDefault(false)
    )
  },
  Effect.fn(function* (options) {
    const { format: name, out, resume, through } = options
    const format = formats[name]
    if (resume && (Option.isNone(out) || Option.isNone(through)))
      return yield* new CommandFailed({ message: "To continue a file, name it with --out and its end with --through." })
    const { client, params } = yield* openTenant(options)
    const after = resume && Option.isSome(out) ? yield* cutBack(out.value, format) : undefined
    const [bytes, response] = yield* client.books.export({
      params,
      query: {
        format: name,
        ...given("period", options.period),
        ...given("from", momentOf(options.from)),
        ...given("to", momentOf(options.to)),
        ...given("through", through),
        ...(after === undefined ? {} : { after })
      },
      responseMode: "decoded-and-response"
    })
    const last = Number(response.headers[exportThroughHeader])
    const told = withProgress(format, last)(bytes)
    if (Option.isNone(out))
      return yield* Effect.onInterrupt(writeOut(told), () => Console.error("It was stopped: this is not all of it."))
    if (!resume) yield* cutBack(out.value, { ...format, posting: null })
    yield* Console.error(`If it is stopped, continue it with: ${exportAgain(options, last, out.value)}`)
    yield* Effect.onError(writeFile(out.value, told), () => sayWhatIsThere(out.value))
    yield* Console.error(`${out.value} has the postings through ${last}.`)
  })
).pipe(
  Command.withDescription("Write a tenant's books for hledger, beancount, spreadsheets and programs"),
  Command.withExamples([
    {
      command: "bursar export --tenant demo --format hledger",
      description: "All of a tenant's books, as they are now"
    },
    {
      command: "bursar export --tenant acme --format csv --period 2026-10 --out october.csv",
      description: "A month, into a file"
    }
  ])
)
