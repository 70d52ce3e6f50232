import type { PeriodReport } from "@bursar/api/operator/OperatorBooks"
import { statementCsv } from "@bursar/books/statement/Statement"
import type { AuditRecord } from "@bursar/core/audit/AuditRecord"
import { readLog } from "@bursar/core/checker/verifyLog"
import type { StorageError } from "@bursar/core/engine/StorageError"
import type { ClosedPeriod } from "@bursar/core/period/ClosedPeriod"
import type { AuditSeals } from "@bursar/core/port/AuditSeals"
import type { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { Effect } from "effect"
import { sha256OfText } from "./digest.ts"
import type { AnyStatement } from "./statements.ts"

/** The note of the digest of a statement in the record of its closing: of a tenant, or of the service. */
export const digestNote = (tenantId: string | null): string =>
  tenantId === null ? "csv_sha256" : `csv_sha256:${tenantId}`

/** Whatever the answer was: a month that was closed before that of another tenant failed is closed, and only what is closed is noted. */
const isOf = ({ period }: ClosedPeriod, note: string, { params, route }: AuditRecord): boolean =>
  route.endsWith("/close") && params["period"] === period && params[note] !== undefined

/** Every digest that the audit log has of the statement of a month, and what is wrong with that log. */
const auditedDigests = Effect.fnUntraced(function* (closed: ClosedPeriod, note: string) {
  const digests = new Set<string>()
  const wrong = yield* readLog((record) => {
    if (isOf(closed, note, record)) digests.add(record.params[note] ?? "")
  })
  return { digests, wrong }
})

interface Audited {
  readonly digests: ReadonlySet<string>
  readonly wrong: string | null
}

const problemOf = (closed: ClosedPeriod, ledger: string, { digests, wrong }: Audited): string | null => {
  if (ledger !== closed.csvSha256)
    return "The ledger no longer gives the statement that was fixed: an entry of the period was changed, added or removed."
  if (wrong !== null) return `The audit log proves nothing: ${wrong}`
  if (!digests.has(closed.csvSha256)) return "The audit log does not have the digest that is stored."
  return digests.size > 1 ? "The audit log has another digest of this period beside the one that is stored." : null
}

/** Compares the statement of a closed month with what was fixed, and with the audit log. */
export const verifyStatement = Effect.fn("books.verifyStatement")(function* (
  closed: ClosedPeriod,
  statement: AnyStatement,
  tenantId: string | null
): Effect.fn.Return<PeriodReport, StorageError, AuditSeals | OperatorAudit> {
  const ledger = yield* sha256OfText(statementCsv(statement))
  const audited = yield* auditedDigests(closed, digestNote(tenantId))
  const problem = problemOf(closed, ledger, audited)
  return {
    ok: problem === null,
    period: closed.period,
    csv_sha256: closed.csvSha256,
    ledger_sha256: ledger,
    audited: audited.digests.has(closed.csvSha256),
    problem
  }
})
