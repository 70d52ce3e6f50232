import type { AuditEntry } from "@bursar/api/operator/OperatorAudit"
import type { AuditRecord } from "@bursar/core/audit/AuditRecord"
import { Option, Schema } from "effect"
import { toIso } from "@bursar/core/base/Timestamp"

const readValues = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))

const unreadable = "Its values cannot be read: somebody has changed it past the service. Verify the log."

/** The values of a record. Where somebody has changed them to what cannot be read, the record says so, and hides no other. */
const valuesOf = ({ content }: AuditRecord): Pick<AuditEntry, "problem" | "values"> =>
  content === null
    ? { values: null, problem: null }
    : Option.match(readValues(content.values), {
        onNone: () => ({ values: null, problem: unreadable }),
        onSome: (values) => ({ values, problem: null })
      })

/** A record of what an operator did. */
export const entryToWire = (record: AuditRecord): AuditEntry => ({
  id: record.id,
  action_id: record.actionId,
  at: toIso(record.at),
  operator: record.operator,
  role: record.role,
  method: record.method,
  route: record.route,
  params: record.params,
  status: record.status,
  request_id: record.requestId,
  address: record.address,
  digest: record.content?.digest ?? null,
  ...valuesOf(record),
  previous_hash: record.previousHash,
  hash: record.hash
})
