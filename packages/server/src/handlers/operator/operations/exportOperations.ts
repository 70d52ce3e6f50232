import { OperatorApi } from "@bursar/api/OperatorApi"
import { csvRow, foreign } from "@bursar/books/csvRow"
import { toIso } from "@bursar/core/base/Timestamp"
import { logStorageError, type StorageError } from "@bursar/core/engine/StorageError"
import { type Amount, amountInWords } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Operation } from "@bursar/core/operation/Operation"
import { Tenants } from "@bursar/core/port/Tenants"
import { type OperationQuery, Queries } from "@bursar/core/store/Queries"
import { isReadable, type ListedOperation, type UnreadableOperation } from "@bursar/core/store/UnreadableOperation"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { leftWithReceiver } from "@bursar/core/transfer/transferState"
import { Effect, Option, Semaphore, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable } from "../../../refusals.ts"
import { shownCurrencies } from "../../../wire/shownCurrencies.ts"
import { readFilters } from "./filters.ts"

/** How many operations are read at once, and of how many files at the same time: others wait, but for nobody who reads slowly. */
const [pageSize, pagesMax] = [1_000, 2]

const columns = [
  "id",
  "tenant",
  "kind",
  "status",
  "unresolved",
  "amount",
  "currency",
  "fee",
  "fee_currency",
  "received",
  "received_currency",
  "network_fee",
  "network_fee_currency",
  "network",
  "provider",
  "provider_reference",
  "partner_reference",
  "transaction",
  "customer",
  "failure_reason",
  "accepted_at",
  "settled_at"
]

/** The last line of a whole file. */
const end = csvRow(["end"])

const row = (operation: Operation, slug: string, currencies: CurrencyTable): string => {
  const money = (amount: Amount | null): ReadonlyArray<string> =>
    amount === null ? ["", ""] : [amountInWords(currencies, amount.units, amount.currency), amount.currency]
  const { details } = operation
  return csvRow([
    operation.id,
    slug,
    operation.kind,
    operation.status,
    String(operation.unresolved),
    ...money(operation.amount),
    ...money(operation.customerFee),
    ...money(leftWithReceiver(operation, operation.toAmount)),
    ...money(operation.networkFee),
    operation.network ?? "",
    foreign(operation.provider ?? ""),
    foreign(operation.providerReference ?? ""),
    foreign(operation.partnerReference ?? ""),
    foreign(operation.txHash ?? ""),
    foreign(operation.customerId ?? ""),
    foreign(details.failure_reason ?? ""),
    toIso(operation.createdAt),
    operation.settledAt === null ? "" : toIso(operation.settledAt)
  ])
}

/** What is known of an operation that cannot be read: why stands where others say why they failed, and its amounts are missing. */
const unreadableRow = ({ createdAt, id, kind, problem, status }: UnreadableOperation, slug: string): string => {
  const cells: Readonly<Record<string, string>> = {
    id,
    tenant: slug,
    kind: foreign(kind),
    status: foreign(status),
    failure_reason: foreign(`cannot be read: ${problem}`),
    accepted_at: toIso(createdAt)
  }
  return csvRow(columns.map((column) => cells[column] ?? ""))
}

/** The lines of operations page by page, as long as there are any. */
const pages = (
  read: Queries["Service"]["listedOperations"],
  wanted: Omit<OperationQuery, "after" | "limit">,
  rowsOf: (page: ReadonlyArray<ListedOperation>) => Effect.Effect<ReadonlyArray<string>>
): Stream.Stream<string, StorageError> =>
  Stream.paginate(undefined as ListedOperation | undefined, (after) =>
    Effect.gen(function* () {
      const found = yield* read({ ...wanted, after, limit: pageSize })
      const last = found.length < pageSize ? undefined : found.at(-1)
      return [yield* rowsOf(found), last === undefined ? Option.none() : Option.some(last)] as const
    })
  )

/** GET /operator/v1/operations/export: as many as there are, and never more of them in memory than a page. */
export const exportOperations = Effect.gen(function* () {
  const queries = yield* Queries
  const tenants = yield* Tenants
  const { currencies } = yield* ServerConfig
  const free = yield* Semaphore.make(pagesMax)
  const read: typeof queries.listedOperations = (query) => free.withPermit(queries.listedOperations(query))
  const { asKnown } = yield* shownCurrencies
  return HttpApiBuilder.handler(OperatorApi, "operations", "export", ({ query }) =>
    Effect.gen(function* () {
      const wanted = yield* readFilters(query, currencies)
      const { tenants: all } = yield* orUnavailable(tenants.list)
      const slugs = new Map<TenantId, string>(all.map(({ id, slug }) => [id, slug]))
      const rows = pages(read, wanted, (page) =>
        Effect.map(asKnown(page.filter(isReadable)), (known) =>
          page.map((one) => {
            const slug = slugs.get(one.tenantId) ?? ""
            return isReadable(one) ? row(one, slug, known) : unreadableRow(one, slug)
          })
        )
      )
      const text = Stream.make(csvRow(columns)).pipe(Stream.concat(rows), Stream.concat(Stream.make(end)))
      return HttpServerResponse.stream(Stream.encodeText(Stream.tapError(text, logStorageError)), {
        contentType: "text/csv; charset=utf-8",
        headers: { "content-disposition": `attachment; filename="operations.csv"` }
      })
    })
  )
})
