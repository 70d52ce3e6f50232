import { AccountProvisioning, provisioningRoles } from "@bursar/core/provisioning/AccountProvisioning"
import * as Cell from "../internal/cells.ts"
import { bool, int8, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { bigintColumn, column, groupColumn, type RecordTable } from "../internal/Table.ts"

/** How far the service's accounts are set up, on networks where that is needed. */
export const accountProvisioningTable: RecordTable<AccountProvisioning> = {
  name: "account_provisioning",
  key: ["account_provisioning_key"],
  keyType: text,
  columns: [
    column("account_provisioning_key", text, AccountProvisioning.key),
    column(groupColumn, text, AccountProvisioning.group),
    column("network", text, ({ network }) => network),
    column("address", text, ({ address }) => address),
    column("role", text, ({ role }) => role),
    column("ready", bool, ({ ready }) => ready),
    column("transaction_id", uuid, ({ transactionId }) => transactionId),
    bigintColumn("failures", int8, ({ failures }) => failures),
    column("problem", text, ({ problem }) => problem),
    column("since", timestamptz, ({ since }) => since),
    column("checked_at", timestamptz, ({ checkedAt }) => checkedAt)
  ],
  read: (row) => ({
    network: Cell.text(row.network),
    address: Cell.text(row.address),
    role: Cell.oneOf(provisioningRoles, row.role),
    ready: Cell.flag(row.ready),
    transactionId: Cell.textOrNull(row.transaction_id),
    failures: Cell.int(row.failures),
    problem: Cell.textOrNull(row.problem),
    since: Cell.at(row.since),
    checkedAt: Cell.at(row.checked_at)
  })
}
