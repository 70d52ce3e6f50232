import { CsvMapping } from "@bursar/books/import/CsvMapping"
import { decodeText, encodingOfXml } from "@bursar/books/import/decodeText"
import {
  ImportError,
  type ImportedStatement,
  importBytesMax,
  type KnownCurrencies
} from "@bursar/books/import/ImportedStatement"
import { readCamt053 } from "@bursar/books/import/readCamt053"
import { readCsv } from "@bursar/books/import/readCsv"
import { statementRequests } from "@bursar/books/import/statementRequests"
import { type StatementPart, statementLimits } from "@bursar/api/operator/OperatorStatement"
import { Timestamp } from "@bursar/api/wire/Timestamp"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { Effect, FileSystem, Option, Schema } from "effect"
import { CommandFailed } from "../config/CommandFailed.ts"

/** More decimals than any currency has: the service says whether one that is not known here has so many. */
const decimalsMax = 18

/** The currencies of the service, and any other: which there are is for the service to say. */
const anyCurrency: Pick<KnownCurrencies, "byCode"> = {
  byCode: (code) => defaultCurrencies.byCode(code) ?? { code, decimals: decimalsMax }
}

const decimalsOf = (code: string): number => anyCurrency.byCode(code)?.decimals ?? decimalsMax

/** How a statement stands in a file. */
export interface StatementFile {
  readonly file: string
  readonly format: "camt053" | "csv"
  readonly mapping: Option.Option<string>
  /** The account that a bank's file has to be of. */
  readonly account: Option.Option<string>
  /** What a CSV file does not say of itself. */
  readonly statement: Option.Option<string>
  readonly from: Option.Option<string>
  readonly to: Option.Option<string>
}

const failed = (file: string) => (error: { readonly message: string }) =>
  new CommandFailed({ message: `${file}: ${error.message}` })

const readBytes = Effect.fnUntraced(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  const { size } = yield* files.stat(file)
  if (Number(size) > importBytesMax)
    return yield* new CommandFailed({
      message: `${file}: it is larger than ${importBytesMax} bytes. Split it by period.`
    })
  return yield* files.readFile(file)
})

/** Runs what throws where a file cannot be trusted. */
const reading = <A>(file: string, read: () => A): Effect.Effect<A, CommandFailed> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(read())
    } catch (error) {
      return error instanceof ImportError ? Effect.fail(failed(file)(error)) : Effect.die(error)
    }
  })

const readMapping = Effect.fnUntraced(function* (file: string) {
  const bytes = yield* readBytes(file)
  const content = yield* reading(file, () => decodeText(bytes, "utf-8"))
  return yield* Schema.decodeUnknownEffect(Schema.fromJsonString(CsvMapping), { onExcessProperty: "error" })(
    content
  ).pipe(Effect.mapError(failed(file)))
})

const given = (value: Option.Option<string>, flag: string) =>
  Option.match(value, {
    onSome: (text) => Effect.succeed(text),
    onNone: () =>
      Effect.fail(new CommandFailed({ message: `A CSV file does not say ${flag.slice(2)}: name it with ${flag}.` }))
  })

const isMoment = Schema.is(Timestamp)

/** A day means its beginning in UTC. A time says its zone, or it would be another one on another machine. */
const momentOf = Effect.fnUntraced(function* (text: string, flag: string) {
  const moment = /^\d{4}-\d{2}-\d{2}$/u.test(text) ? `${text}T00:00:00Z` : text
  return isMoment(moment)
    ? Date.parse(moment)
    : yield* new CommandFailed({
        message: `${flag}: ${text} is no day such as 2026-11-01, and no time with a zone such as 2026-11-01T00:00:00Z.`
      })
})

const spelled = (account: string): string => account.replaceAll(/\s/gu, "").toUpperCase()

/** Refuses the file of another account: its lines would all be breaks, and could hide one. A file that names its account has to be asked for by it. */
const ofAccount = Effect.fnUntraced(function* (
  file: string,
  wanted: Option.Option<string>,
  statements: ReadonlyArray<ImportedStatement>
) {
  for (const { account, id } of statements) {
    if (Option.isNone(wanted)) {
      if (account === null) continue
      return yield* new CommandFailed({
        message: `${file}: statement ${id} is of account ${account}. If that is the one, say so: --account ${account}`
      })
    }
    if (account !== null && spelled(account) === spelled(wanted.value)) continue
    return yield* new CommandFailed({
      message: `${file}: statement ${id} is of ${account === null ? "no account that it names" : `account ${account}`}, not of ${wanted.value}.`
    })
  }
  return statements
})

/** Reads the statements of a file. */
export const readStatements = Effect.fn("reconcile.readStatements")(function* ({
  account,
  file,
  format: form,
  from,
  mapping,
  statement,
  to
}: StatementFile) {
  const bytes = yield* Effect.catchTag(readBytes(file), "PlatformError", (error) => Effect.fail(failed(file)(error)))
  if (form === "camt053")
    return yield* ofAccount(
      file,
      account,
      yield* reading(file, () => readCamt053(decodeText(bytes, encodingOfXml(bytes)), anyCurrency))
    )
  const map = yield* readMapping(yield* given(mapping, "--mapping")).pipe(
    Effect.catchTag("PlatformError", (error) => Effect.fail(failed("--mapping")(error)))
  )
  const told = {
    id: yield* given(statement, "--statement"),
    from: yield* momentOf(yield* given(from, "--from"), "--from"),
    to: yield* momentOf(yield* given(to, "--to"), "--to")
  }
  return [yield* reading(file, () => readCsv(decodeText(bytes, map.encoding ?? "utf-8"), map, anyCurrency, told))]
})

/** A statement in the requests that import it. */
export const requestsOf = Effect.fnUntraced(function* (place: string, one: ImportedStatement) {
  const requests: ReadonlyArray<StatementPart> = statementRequests(place, one, decimalsOf)
  return requests.length > statementLimits.parts
    ? yield* new CommandFailed({ message: `Statement ${one.id} is too large. Split it by period.` })
    : requests
})
