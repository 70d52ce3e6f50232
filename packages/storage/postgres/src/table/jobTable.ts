import type { Job } from "@bursar/core/engine/Job"
import { TenantId } from "@bursar/core/tenant/Tenant"
import * as Cell from "../internal/cells.ts"
import { text, timestamptz } from "../internal/columnTypes.ts"
import { column, type Table } from "../internal/Table.ts"

/** What the processes of the worker have to do. */
export const jobTable: Table<Job> = {
  name: "job",
  key: ["queue", "key"],
  columns: [
    column("queue", text, ({ queue }) => queue),
    column("key", text, ({ key }) => key),
    column("due_at", timestamptz, ({ dueAt }) => dueAt)
  ],
  read: (row) => ({
    tenantId: TenantId(Cell.text(row.tenant_id)),
    queue: Cell.text(row.queue),
    key: Cell.text(row.key),
    dueAt: Cell.at(row.due_at)
  })
}
