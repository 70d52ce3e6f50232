import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import { type StatementFile, statementLimits } from "@bursar/api/operator/OperatorStatement"
import { CsvMapping } from "@bursar/books/import/CsvMapping"
import { ImportError, type ImportedStatement } from "@bursar/books/import/ImportedStatement"
import { readCamt053 } from "@bursar/books/import/readCamt053"
import { readCsv } from "@bursar/books/import/readCsv"
import { statementRequests } from "@bursar/books/import/statementRequests"
import { type CurrencyTable, decimalsOf } from "@bursar/core/money/Currency"
import { Effect, Schema } from "effect"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { invalidField } from "../found.ts"

const refused = (message: string) => apiError("invalid_request", { message })

/** Runs what throws where a file cannot be trusted. */
const reading = <A>(read: () => A): Effect.Effect<A, ApiError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(read())
    } catch (error) {
      return error instanceof ImportError ? Effect.fail(refused(error.message)) : Effect.die(error)
    }
  })

const decodeMapping = Schema.decodeUnknownEffect(CsvMapping)

const readCsvFile = Effect.fnUntraced(function* (currencies: CurrencyTable, file: StatementFile) {
  const { content, from, id, mapping, to } = file
  if (mapping === undefined || id === undefined || from === undefined || to === undefined)
    return yield* refused("A CSV file does not say its mapping, id, from and to: give them beside it.")
  const columns = yield* decodeMapping(mapping, { onExcessProperty: "error" }).pipe(
    Effect.mapError(({ message }) => invalidField("mapping", message))
  )
  const period = { id, from: Date.parse(from), to: Date.parse(to) }
  return [yield* reading(() => readCsv(content, columns, currencies, period))]
})

const spelled = (account: string): string => account.replaceAll(/\s/gu, "").toUpperCase()

/** Refuses the file of another account: its lines would all be breaks, and could hide one. */
const ofAccount = (wanted: string | undefined, { account, id }: ImportedStatement): Effect.Effect<void, ApiError> => {
  if (wanted === undefined)
    return account === null
      ? Effect.void
      : Effect.fail(refused(`Statement ${id} is of account ${account}. If that is the one, name it.`))
  return account !== null && spelled(account) === spelled(wanted)
    ? Effect.void
    : Effect.fail(refused(`Statement ${id} is of ${account ?? "no account that it names"}, not of ${wanted}.`))
}

/** POST /operator/v1/reconciliation/statement-files: the requests that import the statements of a file. Nothing is kept. */
export const readStatementFile = Effect.map(ServerConfig, ({ currencies }) =>
  Effect.fnUntraced(function* ({ payload }: { readonly payload: StatementFile }) {
    const found =
      payload.format === "camt053"
        ? yield* reading(() => readCamt053(payload.content, currencies))
        : yield* readCsvFile(currencies, payload)
    if (payload.format === "camt053") yield* Effect.forEach(found, (one) => ofAccount(payload.account, one))
    const statements = found.map((one) => ({
      account: one.account,
      pending: one.pending,
      requests: statementRequests(payload.place, one, (code) => decimalsOf(currencies, code))
    }))
    return statements.some(({ requests }) => requests.length > statementLimits.parts)
      ? yield* refused("A statement is too large. Split it by period.")
      : { statements }
  })
)
