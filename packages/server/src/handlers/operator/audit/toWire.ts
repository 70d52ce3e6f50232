import type { AuditEntry } from "@bursar/api/operator/OperatorAudit"
import type { AuditRecord } from "@bursar/core/audit/AuditRecord"
import { Schema } from "effect"
import { toIso } from "@bursar/core/base/Timestamp"

const decodeValues = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Json))

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
  values: record.content === null ? null : decodeValues(record.content.values),
  previous_hash: record.previousHash,
  hash: record.hash
})
