import { MonthSums, operatorStatement, type TenantMonth } from "@bursar/books/statement/operatorStatement"
import { statementPdf } from "@bursar/books/statement/pdf"
import { type Statement, statementCsv } from "@bursar/books/statement/Statement"
import { tenantStatement } from "@bursar/books/statement/tenantStatement"
import type { StorageError } from "@bursar/core/engine/StorageError"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { ClosedPeriod } from "@bursar/core/period/ClosedPeriod"
import { Tenants } from "@bursar/core/port/Tenants"
import { everyTenant } from "@bursar/core/port/TenantList"
import { Journal } from "@bursar/core/store/Journal"
import { Queries } from "@bursar/core/store/Queries"
import type { Tenant } from "@bursar/core/tenant/Tenant"
import { Effect, Stream } from "effect"
import { sha256Of, sha256OfText } from "./digest.ts"
import { shownCurrencies } from "../wire/shownCurrencies.ts"
import { entriesOf, readClosedBook } from "./readBook.ts"

/** The postings of a month, the month itself and the layout: what a statement is made of. */
export type Closing = Pick<ClosedPeriod, "after" | "period" | "statementVersion" | "through">

/** A statement, of a tenant or of the service. */
export type AnyStatement = Statement<string, StorageError>

/** Makes the statements of months, the same each time. */
export const makeStatements = Effect.gen(function* () {
  const { shownIn } = yield* shownCurrencies
  const journal = yield* Journal
  const queries = yield* Queries
  const tenants = yield* Tenants

  const ofTenant = Effect.fnUntraced(
    function* (tenant: Tenant, closing: Closing) {
      const book = yield* readClosedBook(tenant, shownIn, closing)
      const statement: AnyStatement = tenantStatement(book, closing, entriesOf(journal, tenant, book))
      return statement
    },
    Effect.provideService(Journal, journal)
  )

  const monthOf = Effect.fnUntraced(
    function* (tenant: Tenant, closed: ClosedPeriod) {
      const book = yield* readClosedBook(tenant, shownIn, closed)
      const sums = new MonthSums()
      const entries = entriesOf(journal, tenant, book)(closed.after)
      yield* Stream.runForEach(entries, (entry) => Effect.sync(() => sums.add(entry)))
      return sums.month({ tenant, csvSha256: closed.csvSha256 }, book.opening, book.closing)
    },
    Effect.provideService(Journal, journal)
  )

  /** The month of a tenant; nothing where it did not close that month. */
  const closedMonth = (tenant: Tenant, period: string): Effect.Effect<ReadonlyArray<TenantMonth>, StorageError> =>
    Effect.flatMap(queries.record(tenant.id, ClosedPeriod, period), (closed) =>
      closed === undefined ? Effect.succeed([]) : Effect.map(monthOf(tenant, closed), (month) => [month])
    )

  const ofService = (
    closing: Pick<Closing, "period" | "statementVersion">
  ): Effect.Effect<AnyStatement, StorageError> =>
    Effect.gen(function* () {
      const inOrder = (yield* everyTenant(tenants.list))
        .filter(({ id }) => id !== fleetTenantId)
        .toSorted((left, right) => (left.id < right.id ? -1 : 1))
      const months = Stream.fromIterable(inOrder).pipe(
        Stream.mapEffect((tenant) => closedMonth(tenant, closing.period)),
        Stream.flatMap((month) => Stream.fromIterable(month))
      )
      // the table knows what is in the months by the time that they are read
      return operatorStatement(months, closing, yield* shownIn([]))
    })

  return { ofTenant, ofService }
})

/** The digests under which a statement is fixed. The PDF names that of the CSV. */
export const digestsOf = Effect.fn("books.digestsOf")(function* (
  statement: AnyStatement
): Effect.fn.Return<Pick<ClosedPeriod, "csvSha256" | "pdfSha256">, StorageError> {
  const csvSha256 = yield* sha256OfText(statementCsv(statement))
  return { csvSha256, pdfSha256: sha256Of(yield* statementPdf(statement, csvSha256)) }
})
