import { OperatorApi } from "@bursar/api/OperatorApi"
import { exportAfterHeader, exportThroughHeader } from "@bursar/api/operator/BooksGroup"
import { apiError } from "@bursar/api/errors/ApiError"
import { camtObjection } from "@bursar/books/Camt053"
import { formats } from "@bursar/books/formats"
import type { Timestamp } from "@bursar/core/base/Timestamp"
import { logStorageError } from "@bursar/core/engine/StorageError"
import { ClosedPeriod } from "@bursar/core/period/ClosedPeriod"
import { periodRange } from "@bursar/core/period/periodRange"
import { Tenants } from "@bursar/core/port/Tenants"
import { Journal } from "@bursar/core/store/Journal"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect, Semaphore, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { entriesOf, type Extent, periodBounds, readBook } from "../../../books/readBook.ts"
import { orUnavailable } from "../../../refusals.ts"
import { momentOf, momentOrUndefined } from "../../../wire/moment.ts"
import { shownCurrencies } from "../../../wire/shownCurrencies.ts"
import { findTenant } from "../found.ts"

/** How many exports are written at the same time: each holds a session of the database. Others wait. */
const exportsMax = 2

interface ExportQuery {
  readonly period?: string
  readonly from?: string
  readonly to?: string
  readonly after?: number
  readonly through?: number
}

/** When the balances at the end are those: at the end that was asked for, or now where that is yet to come, and never before the beginning. */
const endedAt = (begins: Timestamp, ends: Timestamp): Effect.Effect<Timestamp> =>
  Effect.map(Clock.currentTimeMillis, (now) => Math.max(begins, Math.min(ends, now)))

const wrong = (path: string, message: string) =>
  apiError("invalid_request", { fields: [{ path: `query.${path}`, code: "invalid_request", message }] })

/** GET /operator/v1/tenants/{tenant_id}/export */
export const exportBook = Effect.gen(function* () {
  const journal = yield* Journal
  const queries = yield* Queries
  const tenants = yield* Tenants
  const { shownIn } = yield* shownCurrencies
  const free = yield* Semaphore.make(exportsMax)

  const chosen = Effect.fnUntraced(
    function* (id: TenantId, { from, period, to }: ExportQuery) {
      if (period !== undefined) {
        const closed = yield* queries.records(id, ClosedPeriod)
        const bounds = periodBounds(period)
        const range = yield* periodRange(id, period, closed)
        const extent: Extent = { range, from: bounds.from, to: yield* endedAt(bounds.from, bounds.to) }
        return extent
      }
      const [begins, ends] = [momentOrUndefined(from), momentOrUndefined(to)]
      const after = begins === undefined ? 0 : yield* journal.lastBefore(id, begins, 0)
      const through = ends === undefined ? yield* journal.lastPosting(id) : yield* journal.lastBefore(id, ends, after)
      const closes = ends === undefined ? undefined : yield* endedAt(begins ?? 0, ends - 1)
      const extent: Extent = { range: { after, through }, from: begins, to: closes }
      return extent
    },
    Effect.provideService(Journal, journal)
  )

  /** What is asked for, with the end that an earlier answer had. */
  const read = Effect.fnUntraced(function* (id: TenantId, query: ExportQuery) {
    const { after, from, period, through, to } = query
    if (period !== undefined && (from !== undefined || to !== undefined))
      return yield* wrong("period", "Give a period, or from and to, and not both.")
    if (from !== undefined && to !== undefined && momentOf(to) < momentOf(from))
      return yield* wrong("to", "It ends before it begins.")
    const extent = yield* orUnavailable(chosen(id, query))
    const last = yield* orUnavailable(journal.lastPosting(id))
    const range = { ...extent.range, through: through ?? extent.range.through }
    if (range.through < range.after || range.through > last)
      return yield* wrong("through", `The export has postings after ${range.after} and through ${last} at most.`)
    if (after !== undefined && (after < range.after || after > range.through))
      return yield* wrong("after", `The export has postings after ${range.after} through ${range.through}.`)
    return { ...extent, range }
  })

  return HttpApiBuilder.handler(OperatorApi, "books", "export", ({ params, query }) =>
    Effect.gen(function* () {
      const tenant = yield* findTenant(tenants, params.tenant_id)
      const format = formats[query.format]
      if (query.after !== undefined && format.posting === null)
        return yield* wrong("after", `An export in ${query.format} cannot be continued.`)
      const extent = yield* read(tenant.id, query)
      const book = yield* orUnavailable(Effect.provideService(readBook(tenant, shownIn, extent), Journal, journal))
      const objection = query.format === "camt053" ? camtObjection(book) : undefined
      if (objection !== undefined) return yield* apiError("state_conflict", { message: objection })
      const text = Stream.unwrap(
        Effect.as(
          Effect.acquireRelease(free.take(1), () => free.release(1)),
          format.write(book, entriesOf(journal, tenant, book), query.after)
        )
      )
      return HttpServerResponse.stream(Stream.encodeText(Stream.tapError(text, logStorageError)), {
        contentType: format.contentType,
        headers: {
          [exportAfterHeader]: `${book.range.after}`,
          [exportThroughHeader]: `${book.range.through}`,
          "content-disposition": `attachment; filename="${tenant.slug}-${book.range.after}-${book.range.through}.${format.extension}"`
        }
      })
    })
  )
})
