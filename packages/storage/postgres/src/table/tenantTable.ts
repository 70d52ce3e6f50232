import type { Head } from "@bursar/core/engine/WriteSet"
import { defaultPolicy, type Tenant, TenantId, type TenantPolicy } from "@bursar/core/tenant/Tenant"
import * as Cell from "../internal/cells.ts"
import type { Row } from "../internal/cells.ts"
import { json, text, timestamptz } from "../internal/columnTypes.ts"
import { column, type Table } from "../internal/Table.ts"

/** Tenants. */
export const tenantTable: Table<Tenant> = {
  name: "tenant",
  key: [],
  columns: [
    column("slug", text, ({ slug }) => slug),
    column("name", text, ({ name }) => name),
    column("kind", text, ({ kind }) => kind),
    column("status", text, ({ status }) => status),
    column("policy", json, ({ policy }) => policy),
    column("created_at", timestamptz, ({ createdAt }) => createdAt),
    column("lowered_at", timestamptz, ({ loweredAt }) => loweredAt ?? null)
  ],
  read: (row) => {
    const loweredAt = Cell.atOrNull(row["lowered_at"])
    return {
      id: TenantId(Cell.text(row.tenant_id)),
      slug: Cell.text(row.slug),
      name: Cell.text(row.name),
      kind: Cell.oneOf(["LIVE", "SANDBOX"], row.kind),
      status: Cell.oneOf(["ONBOARDING", "ACTIVE", "SUSPENDED", "CLOSED"], row.status),
      // what was stored before a setting existed goes by its default
      policy: { ...defaultPolicy, ...Cell.json<TenantPolicy>(row.policy) },
      createdAt: Cell.at(row.created_at),
      ...(loweredAt === null ? {} : { loweredAt })
    }
  }
}

/** The counters of a head, to be selected beside the tenant's own columns as `h`. */
export const headColumns = "h.change_seq, h.event_id, h.posting_seq, h.last_at"

/** Reads a head from a row that has its columns and those of its tenant. */
export const readHead = (row: Row): Head => ({
  tenant: tenantTable.read(row),
  changeSeq: Cell.int(row.change_seq),
  eventId: Cell.int(row.event_id),
  postingSeq: Cell.int(row.posting_seq),
  lastAt: Cell.at(row.last_at)
})
