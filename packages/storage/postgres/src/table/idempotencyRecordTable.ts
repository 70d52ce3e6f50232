import type { IdempotencyRecord } from "@bursar/core/idempotency/IdempotencyRecord"
import * as Cell from "../internal/cells.ts"
import { json, text, timestamptz } from "../internal/columnTypes.ts"
import { column, type RecordTable } from "../internal/Table.ts"

/** What idempotency keys were used for. */
export const idempotencyRecordTable: RecordTable<IdempotencyRecord> = {
  name: "idempotency_record",
  key: ["key"],
  keyType: text,
  columns: [
    column("key", text, ({ key }) => key),
    column("endpoint", text, ({ endpoint }) => endpoint),
    column("fingerprint", text, ({ fingerprint }) => fingerprint),
    column("outcome", json, ({ outcome }) => outcome),
    column("resource_id", text, ({ resourceId }) => resourceId),
    column("recorded_at", timestamptz, ({ recordedAt }) => recordedAt)
  ],
  read: (row) => ({
    key: Cell.text(row.key),
    endpoint: Cell.text(row.endpoint),
    fingerprint: Cell.text(row.fingerprint),
    outcome: Cell.json(row.outcome),
    resourceId: Cell.textOrNull(row.resource_id),
    recordedAt: Cell.at(row.recorded_at)
  })
}
