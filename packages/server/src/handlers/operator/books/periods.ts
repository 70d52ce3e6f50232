import { apiError } from "@bursar/api/errors/ApiError"
import { Operator } from "@bursar/api/operator/Operator"
import type { OperatorPeriod } from "@bursar/api/operator/OperatorBooks"
import { statementPdf } from "@bursar/books/statement/pdf"
import { statementCsv } from "@bursar/books/statement/Statement"
import { logStorageError } from "@bursar/core/engine/StorageError"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { ClosedPeriod } from "@bursar/core/period/ClosedPeriod"
import { AuditSeals } from "@bursar/core/port/AuditSeals"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { Tenants } from "@bursar/core/port/Tenants"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { toIso } from "@bursar/core/base/Timestamp"
import { Context, Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { makeClosing } from "../../../books/closing.ts"
import { type AnyStatement, makeStatements } from "../../../books/statements.ts"
import { digestNote, verifyStatement } from "../../../books/verifying.ts"
import { noteAction } from "../../../middleware/actionNotes.ts"
import { orUnavailable } from "../../../refusals.ts"
import { findTenant } from "../found.ts"

const toWire = (closed: ClosedPeriod): OperatorPeriod => ({
  period: closed.period,
  after_posting: closed.after,
  through_posting: closed.through,
  csv_sha256: closed.csvSha256,
  pdf_sha256: closed.pdfSha256,
  closed_at: toIso(closed.closedAt),
  closed_by: closed.closedBy
})

const attached = (name: string) => ({ "content-disposition": `attachment; filename="${name}"` })

/** A statement as a file. */
const fileOf = Effect.fnUntraced(function* (
  statement: AnyStatement,
  { csvSha256, period }: ClosedPeriod,
  { format, name }: { readonly format: "csv" | "pdf"; readonly name: string }
) {
  const headers = attached(`${name}-${period}.${format}`)
  if (format === "pdf") {
    const bytes = yield* orUnavailable(statementPdf(statement, csvSha256))
    return HttpServerResponse.uint8Array(bytes, { contentType: "application/pdf", headers })
  }
  const text = Stream.encodeText(Stream.tapError(statementCsv(statement), logStorageError))
  return HttpServerResponse.stream(text, { contentType: "text/csv; charset=utf-8", headers })
})

/** Months that are closed: of tenants, and of the service itself. */
export const periods = Effect.gen(function* () {
  const log = Context.pick(OperatorAudit, AuditSeals)(yield* Effect.context<AuditSeals | OperatorAudit>())
  const queries = yield* Queries
  const tenants = yield* Tenants
  const statements = yield* makeStatements
  const closing = yield* makeClosing

  const list = (id: TenantId) =>
    Effect.map(orUnavailable(queries.records(id, ClosedPeriod)), (all) => ({
      periods: all.toSorted((left, right) => (left.period < right.period ? -1 : 1)).map(toWire)
    }))

  const closedPeriod = Effect.fnUntraced(function* (id: TenantId, period: string) {
    const closed = yield* orUnavailable(queries.record(id, ClosedPeriod, period))
    return closed ?? (yield* apiError("not_found", { message: `${period} is not closed: it has no statement yet.` }))
  })

  /** The statement of a tenant's closed month, or of the service's where no tenant is named, with what was fixed of it. */
  const fixed = Effect.fnUntraced(function* ({
    period,
    tenant_id
  }: {
    readonly tenant_id?: string
    readonly period: string
  }) {
    if (tenant_id === undefined) {
      const closed = yield* closedPeriod(fleetTenantId, period)
      return { closed, name: "service", statement: yield* orUnavailable(statements.ofService(closed)) }
    }
    const tenant = yield* findTenant(tenants, tenant_id)
    const closed = yield* closedPeriod(tenant.id, period)
    return { closed, name: tenant.slug, statement: yield* orUnavailable(statements.ofTenant(tenant, closed)) }
  })

  return {
    ofTenant: (tenantId: string) => Effect.flatMap(findTenant(tenants, tenantId), ({ id }) => list(id)),
    ofService: list(fleetTenantId),
    close: Effect.fnUntraced(function* ({
      period,
      tenant_id
    }: {
      readonly tenant_id: string
      readonly period: string
    }) {
      const { name } = yield* Operator
      const tenant = yield* findTenant(tenants, tenant_id)
      const closed = yield* closing.close(tenant, period, name)
      yield* noteAction({ pdf_sha256: closed.pdfSha256 })
      return toWire(closed)
    }),
    closeService: Effect.fnUntraced(function* (period: string) {
      const { name } = yield* Operator
      const service = yield* closing.closeAll(period, name)
      yield* noteAction({ [digestNote(null)]: service.csvSha256, pdf_sha256: service.pdfSha256 })
      return toWire(service)
    }),
    statement: Effect.fnUntraced(function* (
      params: { readonly tenant_id?: string; readonly period: string },
      format: "csv" | "pdf" = "csv"
    ) {
      const { closed, name, statement } = yield* fixed(params)
      return yield* fileOf(statement, closed, { format, name })
    }),
    verify: Effect.fnUntraced(function* (params: { readonly tenant_id?: string; readonly period: string }) {
      const { closed, statement } = yield* fixed(params)
      const report = verifyStatement(closed, statement, params.tenant_id ?? null)
      return yield* orUnavailable(Effect.provide(report, log))
    })
  }
})
