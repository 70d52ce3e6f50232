import { apiError } from "@bursar/api/errors/ApiError"
import { Operator } from "@bursar/api/operator/Operator"
import type {
  KeptStatementLine,
  Statement as WireStatement,
  StatementLine as WireLine,
  StatementPart
} from "@bursar/api/operator/OperatorStatement"
import { toIso } from "@bursar/core/base/Timestamp"
import { Writer } from "@bursar/core/engine/Writer"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { parse } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { allCustodians, allFiatProviders } from "@bursar/core/port/EarlierProviders"
import { booksOf, nameLines } from "@bursar/core/reconciliation/statement/nameLines"
import { recordPart } from "@bursar/core/reconciliation/statement/recordLines"
import type { NamedLine } from "@bursar/core/reconciliation/statement/sortLines"
import { isWhole, Statement } from "@bursar/core/reconciliation/statement/Statement"
import {
  idInStatement,
  linesAbout,
  StatementLine,
  unassignedLines
} from "@bursar/core/reconciliation/statement/StatementLine"
import { Statements } from "@bursar/core/reconciliation/statement/Statements"
import { Queries } from "@bursar/core/store/Queries"
import { Effect, Result } from "effect"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { readableRecords } from "../../../readableRecords.ts"
import { orUnavailable, refusalError, submit } from "../../../refusals.ts"
import { moneyOf } from "./toWire.ts"

const readMoney = Effect.fnUntraced(function* (currencies: CurrencyTable, amount: WireLine["amount"]) {
  const currency = currencies.byCode(amount.currency)
  if (currency === undefined)
    return yield* apiError("unsupported_asset", { message: `The service knows no currency ${amount.currency}.` })
  const isBelow = amount.amount.startsWith("-")
  const size = parse(isBelow ? amount.amount.slice(1) : amount.amount, currency)
  if (Result.isFailure(size)) return yield* refusalError(size.failure)
  return { currency: currency.code, units: isBelow ? -size.success.units : size.success.units }
})

const readLine = Effect.fnUntraced(function* (
  currencies: CurrencyTable,
  statement: string,
  { amount, at, entry, id, of_statement: isOfStatement = false, references, text }: WireLine
) {
  const line = {
    at: Date.parse(at),
    ...(yield* readMoney(currencies, amount)),
    references,
    text,
    about: null,
    ...(entry !== undefined && { entry: { id: entry.id, ...(yield* readMoney(currencies, entry.amount)) } })
  }
  return (
    isOfStatement ? { ...line, id: idInStatement(statement, id), formerId: id } : { ...line, id }
  ) satisfies NamedLine
})

const lineToWire = (
  currencies: CurrencyTable,
  { about, at, currency, id, place, references, statement, text, units }: StatementLine
): KeptStatementLine => ({
  id,
  at: toIso(at),
  amount: moneyOf(currencies, currency)(units),
  references: [...references],
  text,
  place,
  statement,
  operation_id: about?.operationId ?? null,
  tenant_id: about?.tenantId ?? null
})

const missingParts = (one: Statement): number => one.parts - one.received.length

const statementToWire = (one: Statement): WireStatement => ({
  place: one.place,
  id: one.id,
  currencies: one.currencies === null ? null : [...one.currencies],
  from: toIso(one.from),
  to: toIso(one.to),
  parts: one.parts,
  missing_parts: missingParts(one),
  compared_to: toIso(isWhole(one) ? one.checkedTo : one.from),
  imported_by: one.by,
  imported_at: toIso(one.at)
})

/** Statements of providers: what was imported, and what nobody knows. */
export const statementHandlers = Effect.gen(function* () {
  const [queries, writer, statements] = [yield* Queries, yield* Writer, yield* Statements]
  const { currencies } = yield* ServerConfig
  const books = [...booksOf("custodian", yield* allCustodians), ...booksOf("bank", yield* allFiatProviders)]
  return {
    importStatement: Effect.fnUntraced(function* ({ payload }: { readonly payload: StatementPart }) {
      const { digest, id, part: index, parts, place } = payload
      const own = books.find((one) => one.place === place)
      if (own === undefined) {
        const known = books.map((one) => one.place).join(", ") || "none"
        return yield* apiError("not_found", { message: `There is no place ${place}. Providers are at: ${known}.` })
      }
      const [from, to] = [Date.parse(payload.from), Date.parse(payload.to)]
      if (from >= to || index >= parts)
        return yield* apiError("invalid_request", {
          message: "The statement ends before it begins, or has no such part."
        })
      const lines = yield* Effect.forEach(payload.lines, (line) => readLine(currencies, id, line))
      if (new Set(lines.map((line) => line.id)).size < lines.length)
        return yield* apiError("invalid_request", { message: "Two lines have the same id." })
      const foreign = lines.find(
        (line) => line.at < from || line.at >= to || !payload.currencies.includes(line.currency)
      )
      if (foreign !== undefined)
        return yield* apiError("invalid_request", {
          message: `Line ${foreign.id} is outside the statement's period, or of another currency.`
        })
      const named = yield* orUnavailable(Effect.provideService(nameLines(own, lines), Statements, statements))
      const { name } = yield* Operator
      const header = { place, id, currencies: payload.currencies, from, to, parts, digest }
      const done = yield* submit(writer, fleetTenantId, recordPart(header, { index, lines: named }, name))
      return { added: done.added, known: done.known, missing_parts: missingParts(done.statement) }
    }),
    statements: ({ query: { place } }: { readonly query: { readonly place: string } }) =>
      Effect.map(readableRecords(queries, Statement, place), (found) => ({
        statements: found.toSorted((one, other) => other.to - one.to).map(statementToWire)
      })),
    statementLines: Effect.fnUntraced(function* ({
      query: { operation_id, place }
    }: {
      readonly query: { readonly place: string; readonly operation_id?: string }
    }) {
      const group = operation_id === undefined ? unassignedLines(place) : linesAbout(place, operation_id)
      const found = yield* readableRecords(queries, StatementLine, group)
      return { lines: found.toSorted((one, other) => one.at - other.at).map((line) => lineToWire(currencies, line)) }
    })
  }
})
