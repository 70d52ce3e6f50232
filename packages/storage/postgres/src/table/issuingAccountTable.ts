import type { IssuingAccount } from "@bursar/core/address/IssuingAccount"
import type { KeyFamily } from "@bursar/core/money/Network"
import { TenantId } from "@bursar/core/tenant/Tenant"
import * as Cell from "../internal/cells.ts"
import { int8, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { bigintColumn, column, type RecordTable } from "../internal/Table.ts"

/** The accounts that addresses are issued from, one per tenant and family of networks. */
export const issuingAccountTable: RecordTable<IssuingAccount, KeyFamily> = {
  name: "issuing_account",
  key: ["family"],
  keyType: text,
  columns: [
    column("family", text, ({ family }) => family),
    column("seed_id", uuid, ({ seedId }) => seedId),
    column("account_key", text, ({ accountKey }) => accountKey),
    bigintColumn("next_index", int8, ({ nextIndex }) => nextIndex),
    column("created_at", timestamptz, ({ createdAt }) => createdAt)
  ],
  read: (row) => ({
    tenantId: TenantId(Cell.text(row.tenant_id)),
    family: Cell.text(row.family),
    seedId: Cell.text(row.seed_id),
    accountKey: Cell.text(row.account_key),
    nextIndex: Cell.int(row.next_index),
    createdAt: Cell.at(row.created_at)
  })
}
